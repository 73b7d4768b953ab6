# Prints the path of a Python that can run the hooks (3.9 or newer, with SQLite), or nothing. Run when none is recorded.
fits() {
    # On macOS this one is a stub that opens a dialog unless the developer tools are there: not even its version is asked.
    [ "$1" != /usr/bin/python3 ] || [ "$(uname -s 2> /dev/null)" != Darwin ] || xcode-select -p > /dev/null 2>&1 || return 1
    # Windows' store stub and version managers' shims without a version fail here, whatever they print; so does what
    # only says that all went well.
    "$1" -I -S -c 'import sys, _sqlite3; sys.exit(17 * (sys.version_info >= (3, 9)))' < /dev/null > /dev/null 2>&1
    [ $? = 17 ]
}
# Programs of the folder that one works in are a repository's: its settings reach our PATH.
src=${0%/*}
. "$src/data-home.sh"
load_provenance
# Whether a session may have $folder, which is there as $at, from some repository: as _is_own_place in
# config/provenance.py. Its shells may stand anywhere; its hooks know the project.
may_be_brought() {
    [ -n "$in_session" ] || return 1
    case $folder in
        /bin | /sbin | /usr/bin | /usr/sbin | /usr/local/bin | /usr/local/sbin | /opt/local/bin | /snap/bin) return 1 ;;
        /opt/homebrew/bin | /opt/homebrew/sbin | /home/linuxbrew/.linuxbrew/bin) return 1 ;;
        /run/current-system/sw/bin | /nix/var/nix/profiles/default/bin) return 1 ;;
    esac
    look_up_own
    case $at in "${own:-/}"/.*) return 1 ;; esac
    case $src in */hooks/../src) ;; *) return 0 ;; esac
    above=${at%/}
    while [ -n "$above" ]; do
        { [ -e "$above/.git" ] || [ -L "$above/.git" ]; } && is_inside "$above" && return 0
        above=${above%/*}
    done
    return 1
}
path=
set -f
IFS=:
for folder in $PATH; do
    case $folder in
        /proc/* | /dev/* | /sys/* | //* | /./* | */.. | */../*) ;;
        /*)
            at=$(cd -P -- "$folder" 2> /dev/null && pwd -P)/
            is_at_work || may_be_brought || path=$path:$folder
            ;;
    esac
done
unset IFS
set +f
PATH=${path#:}
PATH=${PATH:-/usr/bin:/bin} # an empty one means the current folder
# The system's own first: one on the PATH may be a version manager's shim, which costs ten times as much.
for name in /usr/bin/python3 /usr/local/bin/python3 /opt/homebrew/bin/python3 python3 \
    python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python; do
    path=$(command -v "$name" 2> /dev/null) && fits "$path" && printf '%s\n' "$path" && break
done
