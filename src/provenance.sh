# Part of data-home.sh, for what takes longer: whether a repository may have set a variable, or brought a data home or a
# program. As config/provenance.py.

line_end='
'
system_path=/usr/bin:/bin:/run/current-system/sw/bin # its programs are not a repository's

# Sets `own` to the user's home as the system knows it, whatever HOME says.
look_up_own() {
    own=$(
        PATH=$system_path
        (eval "cd -P -- ~$(id -un)" && pwd -P) 2> /dev/null
    )
}

# Whether the client's settings of the user $own set the variable $1 to $2. Of a value of several lines grep would look
# for each by itself.
owns_say() {
    case $2 in *"$line_end"*) return 1 ;; esac
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

# As SETTING_FILES in config/named_by.py.
setting_files='.claude/settings.json .claude/settings.local.json .mcp.json .claude-plugin/plugin.json
.env .env.local .env.development .env.production .env.test .env.staging .env.dev .env.prod .env.ci .env.shared
.env.defaults .env.development.local .env.test.local .envrc .flaskenv
mise.toml mise.local.toml .mise.toml .mise.local.toml .mise/config.toml .config/mise/config.toml mise/config.toml
.devcontainer/devcontainer.json .devcontainer.json
compose.yml compose.yaml compose.override.yml compose.override.yaml
docker-compose.yml docker-compose.yaml docker-compose.override.yml docker-compose.override.yaml
Dockerfile Containerfile Vagrantfile .gitpod.yml devbox.json pixi.toml pyproject.toml environment.yml environment.yaml
flake.nix shell.nix devenv.nix .vscode/settings.json .vscode/mcp.json .zed/settings.json .cursor/mcp.json'

# HOME is a part of other names, and much used: in JSON it must be a key, elsewhere something must be assigned to it. As
# `sets` in config/named_by.py.
home_set="(^|[[:space:]\"'\`{([,;&|]|(^|[^A-Za-z0-9_])env[.])HOME[[:space:]]*[+]?=([^=]|\$)
[\$][{]HOME:=
(^[[:space:]?-]*|,[[:space:]]*|(^|[^\$])[{][[:space:]]*)HOME[[:space:]]*:([[:space:]]|\$)
(\"HOME\"|'HOME')[[:space:]]*(=([^=]|\$)|:)
^[[:space:]]*[Ee][Nn][Vv][[:space:]]+HOME[[:space:]]+[^[:space:]]"

# Whether the file $1 may set HOME, also if its letters are written as escapes.
sets_home() {
    LC_ALL=C
    case $1 in
        *.json | *.code-workspace) between=' ' comment='^$' pattern='"HOME"[[:space:]]*:' ;;
        *) between='\n' comment='^[[:space:]]*#' pattern=$home_set ;;
    esac
    export LC_ALL
    # UTF-16 has zeros between its letters, and a mark at its start
    tr -d '\000\357\273\277\376\377' < "$1" | tr '\r\n' "$between$between" |
        sed -e 's/\\u0048/H/g; s/\\U00000048/H/g; s/\\x48/H/g' \
            -e 's/\\u004[fF]/O/g; s/\\U0000004[fF]/O/g; s/\\x4[fF]/O/g' \
            -e 's/\\u004[dD]/M/g; s/\\U0000004[dD]/M/g; s/\\x4[dD]/M/g' \
            -e 's/\\u0045/E/g; s/\\U00000045/E/g; s/\\x45/E/g' |
        grep -v -e "$comment" | grep -q -E -e "$pattern"
}

# Whether a file of folder $1 that sets variables contains $2, or escapes, behind which it may be, or sets HOME; unless
# the folder is the user's own home. Of the last files a part of the name is their author's, as _of_any_name in
# config/named_by.py.
names() {
    for file in $setting_files "$1"/*.code-workspace "$1"/.*.code-workspace "$1"/mise.*.toml "$1"/.mise.*.toml \
        "$1"/.devcontainer/*/devcontainer.json "$1"/.devcontainer/.[!.]*/devcontainer.json; do
        case $file in "$1"/*) ;; *) file=$1/$file ;; esac
        [ -e "$file" ] || continue
        if [ -f "$file" ]; then
            ( # UTF-16 has zeros between its letters
                PATH=$system_path
                # As _FILE_BYTES_MAX in config/named_by.py: one that takes seconds to read may say anything.
                if [ -n "$(find -L "$file" -size +1953)" ]; then
                    true
                elif [ "$2" = HOME ]; then
                    sets_home "$file"
                else
                    tr -d '\000' < "$file" | grep -q -e "$2" -e '\\u00[45]' -e '\\U000000[45]' -e '\\x[45]'
                fi
            ) 2> /dev/null || continue
        else # what a link to a device says has no end
            [ -L "$file" ] && [ ! -d "$file" ] || continue
        fi
        look_up_own
        [ "$1" = "$own" ] && return 1
        [ "$2" = HOME ] && return 0
        [ -n "$HOME" ] && at=$(cd -P -- "$HOME" 2> /dev/null && pwd -P) && [ "$1" = "$at" ] || return 0
        case $at/ in "${project:-//}"/*) return 0 ;; esac
        return 1
    done
    return 1
}

# Whether a repository may have set the variable $1.
is_a_repositorys() {
    [ -n "$project" ] && names "$project" "$1" && return 0
    above=$current
    while [ -n "$above" ]; do
        names "$above" "$1" && return 0
        find_main "$above" && names "$main" "$1" && return 0
        above=${above%/*}
    done
    names "" "$1"
}
