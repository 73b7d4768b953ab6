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

# HOME is a part of other names, and much used: it must begin a word, and be no `$HOME` or `${HOME`.
named_home='^HOME
^{HOME
[^$]{HOME
[^A-Za-z0-9_${]HOME'

# Whether a file of folder $1 that sets variables contains $2, or escapes, behind which it may be; unless the folder is
# the user's own home.
names() {
    for file in $setting_files; do
        [ -e "$1/$file" ] || continue
        if [ -f "$1/$file" ]; then
            ( # UTF-16 has zeros between its letters
                PATH=$system_path
                tr -d '\000' < "$1/$file" | grep -q -e "$2" -e '\\u'
            ) 2> /dev/null || continue
        else # what a link to a device says has no end
            [ -L "$1/$file" ] && [ ! -d "$1/$file" ] || continue
        fi
        look_up_own
        [ "$1" = "$own" ] && return 1
        [ "$2" = "$named_home" ] && return 0
        [ -n "$HOME" ] && at=$(cd -P -- "$HOME" 2> /dev/null && pwd -P) && [ "$1" = "$at" ] || return 0
        case $at/ in "${project:-//}"/*) return 0 ;; esac
        return 1
    done
    return 1
}

# Whether a repository may have set the variable $1.
is_a_repositorys() {
    [ "$1" != HOME ] || set -- "$named_home"
    [ -n "$project" ] && names "$project" "$1" && return 0
    above=$current
    while [ -n "$above" ]; do
        names "$above" "$1" && return 0
        find_main "$above" && names "$main" "$1" && return 0
        above=${above%/*}
    done
    names "" "$1"
}
