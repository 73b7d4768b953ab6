# Part of data-home.sh, for whoever names a data home in a variable: whether a repository may have set that.
# As SETTING_FILES in config/provenance.py.
setting_files='.claude/settings.json .claude/settings.local.json .mcp.json .claude-plugin/plugin.json
.env .env.local .env.development .env.production .env.test .env.staging .env.dev .env.prod .env.ci .env.shared
.env.defaults .env.development.local .env.test.local .envrc
mise.toml mise.local.toml .mise.toml .mise.local.toml .mise/config.toml .config/mise/config.toml mise/config.toml
.devcontainer/devcontainer.json .devcontainer.json
compose.yml compose.yaml compose.override.yml compose.override.yaml
docker-compose.yml docker-compose.yaml docker-compose.override.yml docker-compose.override.yaml
Dockerfile Containerfile Vagrantfile .gitpod.yml devbox.json pixi.toml pyproject.toml environment.yml environment.yaml
flake.nix shell.nix devenv.nix .vscode/settings.json .vscode/mcp.json .zed/settings.json .cursor/mcp.json'

# HOME is a part of other names, and much used: in JSON it must be a key, elsewhere something must be assigned to it. As
# `sets` in config/provenance.py.
home_set="(^|[[:space:]\"'\`{([,;&|]|(^|[^A-Za-z0-9_])env[.])HOME[[:space:]]*[+]?=([^=]|\$)
[\$][{]HOME:=
(^[[:space:]?-]*|,[[:space:]]*|(^|[^\$])[{][[:space:]]*)HOME[[:space:]]*:([[:space:]]|\$)
(\"HOME\"|'HOME')[[:space:]]*(=([^=]|\$)|:)
^[[:space:]]*[Ee][Nn][Vv][[:space:]]+HOME[[:space:]]+[^[:space:]]"

# Whether the file $1 may set HOME, also if its letters are written as escapes.
sets_home() {
    LC_ALL=C
    case $1 in
        *.json) between=' ' comment='^$' pattern='"HOME"[[:space:]]*:' ;;
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
# the folder is the user's own home.
names() {
    for file in $setting_files; do
        [ -e "$1/$file" ] || continue
        if [ -f "$1/$file" ]; then
            ( # UTF-16 has zeros between its letters
                PATH=$system_path
                # As _FILE_BYTES_MAX in config/provenance.py: one that takes seconds to read may say anything.
                if [ -n "$(find -L "$1/$file" -size +1953)" ]; then
                    true
                elif [ "$2" = HOME ]; then
                    sets_home "$1/$file"
                else
                    tr -d '\000' < "$1/$file" | grep -q -e "$2" -e '\\u'
                fi
            ) 2> /dev/null || continue
        else # what a link to a device says has no end
            [ -L "$1/$file" ] && [ ! -d "$1/$file" ] || continue
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
