#!/bin/sh
# The `keepstone` command: it runs Keepstone's plugin, wherever that lies today. `keepstone uninstall` removes it.
record=@RECORD@
home=@HOME@ # the data home, where it is not the one that every shell finds
[ -n "$home" ] && export KEEPSTONE_HOME="${KEEPSTONE_HOME:-$home}"
root=
[ -r "$record" ] && IFS= read -r root < "$record"
case $root in */plugins/cache/*)
    # an update removes the folder of the version before it: until its first session, look beside that
    [ -x "$root/bin/keepstone" ] || for beside in "${root%/*}"/*/bin/keepstone; do
        [ -x "$beside" ] && root=${beside%/bin/keepstone}
    done ;;
esac
[ -x "$root/bin/keepstone" ] && exec "$root/bin/keepstone" "$@"
[ -n "$_KEEPSTONE_COMPLETE" ] || [ "$1" = completion ] && exit 0 # a shell that starts, or completes, reads no advice
cat >&2 << END
Keepstone's plugin is not there any more${root:+: $root}
To have it back:        claude plugin install keepstone@keepstone, and start a session
To remove this command: rm '$0'
What it remembered is still in ${record%/plugin}
END
exit 0
