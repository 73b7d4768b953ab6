# Sets `home` to the data home, or to nothing where it is not to be trusted, as config/provenance.py does: what stands in
# it names the program to run. Every hook waits for this: a process is started only where a repository's file sets
# variables, or where the data home is in the folder that one works in, or `.git` is a file. `src` is this file's folder.
line_end='
'
system_path=/usr/bin:/bin:/run/current-system/sw/bin # its programs are not a repository's
unset PYTHONEXECUTABLE __PYVENV_LAUNCHER__ # either would make Python say that it is another program, even with -I
unset KEEPSTONE_WORKED_IN # which our commands find out themselves
# Each of these makes Python, or a library of it, load code, read a file or write one: the ones of _LOADED in
# own_environment.py that do so before our own code runs.
unset OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE GLIBC_TUNABLES GCONV_PATH LOCPATH \
    NLSPATH GETCONF_DIR RESOLV_HOST_CONF MALLOC_TRACE MALLOC_CONF LD_PRELOAD LD_AUDIT LD_DEBUG LD_DEBUG_OUTPUT \
    LD_PROFILE LD_PROFILE_OUTPUT DYLD_INSERT_LIBRARIES BASH_ENV ENV PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB

unset TZDIR
case $TZ in :* | /* | *..*) unset TZ ;; esac # the C library reads such a file, which may be the hook's input

# Sets `own` to the user's home as the system knows it, whatever HOME says.
look_up_own() {
    own=$(
        PATH=$system_path
        (eval "cd -P -- ~$(id -un)" && pwd -P) 2> /dev/null
    )
}

# Whether the client's settings of the user $own set the variable $1 to $2.
owns_say() {
    (
        PATH=$system_path
        sed 's/"[[:space:]]*:[[:space:]]*"/":"/g' "$own/.claude/settings.json" | grep -q -F -e "\"$1\":\"$2\""
    ) 2> /dev/null
}

# Whether the folder $at lies in another one, which others may have filled: neither the user's own home or above it, nor
# the place in it where memories are kept by default. HOME may say anything. Nothing is inside "/" here.
is_inside() {
    case $at in "$1"/*) ;; *) return 1 ;; esac
    look_up_own
    case $own/ in "$1"/*) return 1 ;; esac
    [ "$at" != "$own/.local/share/keepstone/" ]
}

# Whether $at lies in folder $1, in a repository that this is in, or in the main one of a linked worktree.
is_around() {
    is_inside "$1" && return 0
    above=$1
    while [ -n "$above" ]; do
        if [ -e "$above/.git" ] || [ -L "$above/.git" ]; then
            is_inside "$above" && return 0
            find_main "$above" && is_inside "$main" && return 0
        fi
        above=${above%/*}
    done
    return 1
}

# Sets `main` to the main working folder of a linked worktree. As _MARKER_BYTES in config/provenance.py: of a larger
# file the shell would read byte by byte for seconds.
find_main() {
    [ -f "$1/.git" ] || return 1
    { main=$(PATH=$system_path; head -c 10000 < "$1/.git"); } 2> /dev/null
    main=${main%%"$line_end"*}
    case $main in "gitdir: "*/.git/worktrees/*) ;; *) return 1 ;; esac
    main=${main#gitdir: }
    case $main in /*) ;; *) main=$1/$main ;; esac
    main=$(cd -P -- "${main%%/.git/worktrees/*}" 2> /dev/null && pwd -P) && [ -n "$main" ]
}

# Whether $at lies in the folder that one works in: the current one or the session's project.
is_at_work() {
    is_around "$current" || { [ "${project:-$current}" != "$current" ] && is_around "$project"; }
}

# Whether $at, of data home $home, may be what a repository has brought although nobody works there: within a session it
# is inside some repository, and the user's own settings do not name it.
may_be_planted() {
    [ -n "$in_session" ] || return 1
    above=${at%/}
    while [ -n "$above" ]; do
        if { [ -e "$above/.git" ] || [ -L "$above/.git" ]; } && is_inside "$above"; then
            owns_say KEEPSTONE_HOME "$home" || owns_say XDG_DATA_HOME "${home%/keepstone}" || return 0
        fi
        above=${above%/*}
    done
    return 1
}

# Whether a session may open $home, which is there as $at: as _is_strange in config/provenance.py. Of a HOME of which the
# system does not know, hooks see themselves whether the project has named it.
is_known() {
    [ -n "$in_session" ] || return 0
    if [ "$home" = "$HOME/.local/share/keepstone" ]; then
        [ -n "$asked" ] || return 0
        case $src in */hooks/../src) return 0 ;; esac
    fi
    look_up_own
    [ "$home" -ef "$own/.local/share/keepstone" ] && return 0
    owns_say KEEPSTONE_HOME "$home" || owns_say XDG_DATA_HOME "${home%/keepstone}" ||
        owns_say HOME "${home%/.local/share/keepstone}" || is_noted
}

# Whether its user has opened $home before: one file names what the system has given another one.
is_noted() {
    IFS= read -r mark < "$home/opened.mark" && [ -n "$mark" ] || return 1
    seen=$(
        PATH=$system_path
        stat -c '%i %Z' "$home/opened" 2> /dev/null || stat -f '%i %c' "$home/opened"
    )
    [ "$mark" = "$seen" ]
}

in_session=${CLAUDECODE+x}${CLAUDE_CODE_SESSION_ID+x}${CLAUDE_PROJECT_DIR+x}${CLAUDE_CODE_ENTRYPOINT+x}
# A repository may set HOME too. One in which the client has installed this plugin is believed, any other is asked about.
case $src in "${HOME:-//}"/.claude/plugins/*) asked= ;; *) asked=$HOME ;; esac
if [ -n "$KEEPSTONE_HOME$XDG_DATA_HOME$asked" ]; then
    [ -r "$src/named-by.sh" ] || exit 0 # the plugin is being replaced
    . "$src/named-by.sh"
fi
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
                { [ -O "$home" ] && [ -O "$home/python" ] && ! is_at_work && ! may_be_planted && is_known; } || home=
            fi
            ;;
        *) home= ;;
    esac
    cd -- "$back" || cd /
} 2> /dev/null
