# Tells a person at a session's start that no hook can run, once a day: `home` is the data home, or nothing. What notes
# that it was told is in the data home, in the folder that the client keeps for this plugin, or a folder of its own.
[ "${0##*/}" = session-start ] || exit 0
case $CLAUDE_CODE_ENTRYPOINT in sdk* | mcp* | local-agent* | *github*) exit 0 ;; esac
case ${KEEPSTONE_OFF:-0} in
    0 | [Nn] | [Nn][Oo] | [Oo][Ff][Ff] | [Ff][Aa][Ll][Ss][Ee]) ;; # as _WORDS in config/settings.py
    *) exit 0 ;;
esac
[ "$CLAUDE_CODE_SESSION_ATTENDED" != 0 ] || exit 0
umask 077
PATH=$system_path
told=
case $CLAUDE_PLUGIN_DATA in */../*) more= ;; "$HOME"/.claude/plugins/*) more=$CLAUDE_PLUGIN_DATA ;; *) more= ;; esac
for folder in "$home" "$more"; do
    case $folder in /*) [ -O "$folder" ] && [ -w "$folder" ] && told=$folder/told-python && break ;; esac
done
if [ -n "$told" ]; then
    [ -z "$(find "$told" -mtime -1 2> /dev/null)" ] || exit 0
    : > "$told" || exit 0
else # making a folder follows no link that somebody else has put there
    told=/tmp/keepstone-told-$(id -u)
    [ -n "$(find "$told" -prune -mtime -1)" ] || rmdir "$told"
    mkdir "$told" || exit 0
fi 2> /dev/null
printf '%s\n' '{"systemMessage": "Keepstone is off: there is no Python 3.9 or newer with SQLite on this machine. Nothing is'\
' recalled or learned. Try: install Python 3.11 or newer from your system'"'"'s packages or python.org"}'
