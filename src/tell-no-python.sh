# Tells a person at a session's start that no hook can run, once a day: `home` is the data home, or nothing. What notes
# that it was told is in the data home, or in the folder that the client keeps for this plugin.
[ "${0##*/}" = session-start ] || exit 0
case $CLAUDE_CODE_ENTRYPOINT in sdk* | mcp* | local-agent* | *github*) exit 0 ;; esac
case $KEEPSTONE_OFF in '' | 0) ;; *) exit 0 ;; esac
[ -z "$KEEPSTONE_NESTED" ] && [ "$CLAUDE_CODE_SESSION_ATTENDED" != 0 ] || exit 0
umask 077
PATH=$system_path
told=
case $CLAUDE_PLUGIN_DATA in */../*) more= ;; "$HOME"/.claude/plugins/*) more=$CLAUDE_PLUGIN_DATA ;; *) more= ;; esac
for folder in "$home" "$more"; do
    case $folder in /*) [ -O "$folder" ] && [ -w "$folder" ] && told=$folder/told-python && break ;; esac
done
[ -z "$told" ] || [ -z "$(find "$told" -mtime -1 2> /dev/null)" ] || exit 0
{ [ -z "$told" ] || : > "$told"; } 2> /dev/null
printf '%s\n' '{"systemMessage": "Keepstone is off: there is no Python 3.9 or newer with SQLite on this machine. Nothing is'\
' recalled or learned. Try: install Python 3.11 or newer from your system'"'"'s packages or python.org"}'
