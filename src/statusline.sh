# Prints one line for Claude Code's status line, from the JSON on stdin. What `keepstone setup --statusline` wrote runs it.
here=${0%/*}
. "$here/data-home.sh"
python=
[ -n "$home" ] && [ -r "$home/python" ] && IFS= read -r python < "$home/python"
[ -x "$python" ] || python=$(/bin/sh "$here/find-python.sh")
[ -n "$python" ] && exec "$python" -I -S -c \
    'import sys; sys.path.insert(0, sys.argv[1]); from keepstone.cli.statusline import main; main()' "$here"
