#!/bin/sh
# The `cairn` command: it runs Cairn's plugin, wherever that lies today. `cairn uninstall` removes it.
record=@RECORD@
home=@HOME@ # the data home, where it is not the one that every shell finds
[ -n "$home" ] && export CAIRN_HOME="${CAIRN_HOME:-$home}"
root=
[ -r "$record" ] && IFS= read -r root < "$record"
case $root in */plugins/cache/*)
    # an update removes the folder of the version before it: until its first session, look beside that
    [ -x "$root/bin/cairn" ] || for beside in "${root%/*}"/*/bin/cairn; do
        [ -x "$beside" ] && root=${beside%/bin/cairn}
    done ;;
esac
[ -x "$root/bin/cairn" ] && exec "$root/bin/cairn" "$@"
[ -n "$_CAIRN_COMPLETE" ] || [ "$1" = completion ] && exit 0 # a shell that starts, or completes, reads no advice
cat >&2 << END
Cairn's plugin is not there any more${root:+: $root}
To have it back:        claude plugin install cairn@cairn, and start a session
To remove this command: rm '$0'
What it remembered is still in ${record%/plugin}
END
exit 0
