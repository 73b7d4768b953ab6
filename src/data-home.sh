# Sets `home` to the data home, or to nothing where it is not to be trusted, as config/provenance.py does: what stands in
# it names the program to run. Every hook waits for this: a process is started only where a repository's file sets
# variables, or where the data home is in the folder that one works in, or `.git` is a file. `src` is this file's folder.
unset PYTHONEXECUTABLE __PYVENV_LAUNCHER__ # either would make Python say that it is another program, even with -I
unset KEEPSTONE_WORKED_IN # which our commands find out themselves
# Each of these makes Python, or a library of it, load code, read a file or write one: the ones of _LOADED in
# own_environment.py that do so before our own code runs.
unset OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE GLIBC_TUNABLES GCONV_PATH LOCPATH \
    NLSPATH GETCONF_DIR RESOLV_HOST_CONF MALLOC_TRACE MALLOC_CONF LD_PRELOAD LD_AUDIT LD_DEBUG LD_DEBUG_OUTPUT \
    LD_PROFILE LD_PROFILE_OUTPUT DYLD_INSERT_LIBRARIES BASH_ENV ENV PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB

unset TZDIR
case $TZ in :* | /* | *..*) unset TZ ;; esac # the C library reads such a file, which may be the hook's input

load_provenance() {
    [ -r "$src/provenance.sh" ] || exit 0 # the plugin is being replaced
    . "$src/provenance.sh"
}

# Whether $at is so far from whatever a repository may have brought that nothing more has to be asked: at the usual
# place of a HOME that is believed, outside of the folders that one works in, and below no `.git`.
is_far() {
    [ -z "$asked$KEEPSTONE_HOME$XDG_DATA_HOME" ] || return 1
    case $at in "$current"/* | "${project:-$current}"/*) return 1 ;; esac
    above=${at%/}
    while [ -n "$above" ]; do
        if [ -e "$above/.git" ] || [ -L "$above/.git" ]; then return 1; fi
        above=${above%/*}
    done
}

is_own() {
    cd -- "$back" # from where `src` may be named
    load_provenance
    ! is_at_work && ! may_be_planted && is_known
}

in_session=${CLAUDECODE+x}${CLAUDE_CODE_SESSION_ID+x}${CLAUDE_PROJECT_DIR+x}${CLAUDE_CODE_ENTRYPOINT+x}
# A repository may set HOME too. One in which the client has installed this plugin is believed, any other is asked about.
case $src in "${HOME:-//}"/.claude/plugins/*) asked= ;; *) asked=$HOME ;; esac
[ -n "$KEEPSTONE_HOME$XDG_DATA_HOME$asked" ] && load_provenance
{ # in one group: each redirection of its own would take seven calls of the system
    back=$PWD
    cd -P .
    current=$PWD project=
    [ -n "$CLAUDE_PROJECT_DIR" ] && cd -P -- "$CLAUDE_PROJECT_DIR" && project=$PWD
    home=$KEEPSTONE_HOME
    [ -n "$home" ] && is_a_repositorys KEEPSTONE_HOME && home=
    [ -z "$home" ] && [ -n "$XDG_DATA_HOME" ] && ! is_a_repositorys XDG_DATA_HOME && home=$XDG_DATA_HOME/keepstone
    if [ -z "$home" ]; then
        home=$HOME
        [ -n "$asked" ] && is_a_repositorys HOME && { look_up_own; owns_say HOME "$HOME" || home=$own; }
        home=${home:+$home/.local/share/keepstone}
    fi
    case $home in
        /proc/* | /dev/* | /sys/* | //* | /./* | */.. | */../*) home= ;;
        [A-Za-z]:*) ;; # Windows: its own rights keep others out
        /*)
            cd -- "$back"
            if cd -P -- "$home"; then
                at=$PWD/
                { [ -O "$home" ] && [ -O "$home/python" ] && { is_far || is_own; }; } || home=
            fi
            ;;
        *) home= ;;
    esac
    cd -- "$back" || cd /
} 2> /dev/null
