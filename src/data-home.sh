# Sets `home` to the data home, or to nothing where it is not to be trusted, as config/provenance.py does: what stands in
# it names the program to run. No process is started here, because every hook waits for this.
home=${KEEPSTONE_HOME:-${XDG_DATA_HOME:+$XDG_DATA_HOME/keepstone}}
home=${home:-${HOME:+$HOME/.local/share/keepstone}}

# Whether the data home lies in a folder that others may have filled: neither the user's own home or above it, nor the
# place in it where memories are kept by default. HOME may say anything. Nothing is inside "/" here.
is_inside() {
    case $at in "$1"/*) ;; *) return 1 ;; esac
    own=$( (eval "cd -P -- ~$(id -un)" && pwd -P) 2> /dev/null)
    case $own/ in "$1"/*) return 1 ;; esac
    [ "$at" != "$own/.local/share/keepstone/" ]
}

case $home in
    /proc/* | /dev/* | /sys/* | //*) home= ;;
    [A-Za-z]:*) ;; # Windows: its own rights keep others out
    /*)
        back=$PWD
        cd -P . 2> /dev/null
        current=$PWD at= project=
        cd -P -- "$home" 2> /dev/null && at=$PWD/
        [ -n "$CLAUDE_PROJECT_DIR" ] && cd -P -- "$CLAUDE_PROJECT_DIR" 2> /dev/null && project=$PWD
        cd -- "$back" 2> /dev/null || cd /
        if [ -n "$at" ]; then
            [ -O "$home" ] && [ -O "$home/python" ] || home=
            is_inside "$current" && home=
            [ -n "$project" ] && is_inside "$project" && home=
        fi
        ;;
    *) home= ;;
esac
