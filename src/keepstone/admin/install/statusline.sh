#!/bin/sh
# Keepstone's line for Claude Code's status line. It never fails, and is silent without the plugin. `keepstone uninstall`
# removes it.
record=@RECORD@
home=@HOME@ # the data home, where it is not the one that every shell finds
[ -n "$home" ] && export KEEPSTONE_HOME="${KEEPSTONE_HOME:-$home}"
root=
[ -r "$record" ] && IFS= read -r root < "$record"
[ -r "$root/src/statusline.sh" ] && /bin/sh "$root/src/statusline.sh" 2> /dev/null
exit 0
