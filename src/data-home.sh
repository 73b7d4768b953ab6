# Sets `home` to the data home, or to nothing where it is not to be trusted, as config/provenance.py does: what stands in
# it names the program to run. No process is started here, because every hook waits for this.
unset PYTHONEXECUTABLE __PYVENV_LAUNCHER__ # either would make Python say that it is another program, even with -I
home=${KEEPSTONE_HOME:-${XDG_DATA_HOME:+$XDG_DATA_HOME/keepstone}}
home=${home:-${HOME:+$HOME/.local/share/keepstone}}

# Whether the folder $at lies in another one, which others may have filled: neither the user's own home or above it, nor
# the place in it where memories are kept by default. HOME may say anything. Nothing is inside "/" here.
is_inside() {
    case $at in "$1"/*) ;; *) return 1 ;; esac
    own=$(
        PATH=/usr/bin:/bin:/run/current-system/sw/bin # not a repository's id
        (eval "cd -P -- ~$(id -un)" && pwd -P) 2> /dev/null
    )
    case $own/ in "$1"/*) return 1 ;; esac
    [ "$at" != "$own/.local/share/keepstone/" ]
}

# Whether $at lies in the folder that one works in: the current one or the session's project.
is_at_work() {
    is_inside "$current" || { [ -n "$project" ] && is_inside "$project"; }
}

back=$PWD
cd -P . 2> /dev/null
current=$PWD project=
[ -n "$CLAUDE_PROJECT_DIR" ] && cd -P -- "$CLAUDE_PROJECT_DIR" 2> /dev/null && project=$PWD
case $home in
    /proc/* | /dev/* | /sys/* | //*) home= ;;
    [A-Za-z]:*) ;; # Windows: its own rights keep others out
    /*)
        cd -- "$back" 2> /dev/null
        if cd -P -- "$home" 2> /dev/null; then
            at=$PWD/
            { [ -O "$home" ] && [ -O "$home/python" ] && ! is_at_work; } || home=
        fi
        ;;
    *) home= ;;
esac
cd -- "$back" 2> /dev/null || cd /
