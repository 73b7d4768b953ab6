# Prints one line for Claude Code's status line, from the JSON on stdin. What `keepstone setup --statusline` wrote runs it.
src=${0%/*}
. "$src/data-home.sh"
python=
[ -n "$home" ] && [ -r "$home/python" ] && IFS= read -r python < "$home/python"
[ -x "$python" ] || python=$(/bin/sh "$src/find-python.sh")
[ -n "$python" ] && exec "$python" -I -S -c \
    'import sys; sys.path.insert(0, sys.argv[1]); from keepstone.cli.statusline import main; main()' "$src"
