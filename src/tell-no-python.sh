# Tells a person at a session's start that no hook can run, once a day: `home` is the data home, or nothing. What notes
# that it was told is in the data home, in the folder that the client keeps for this plugin, or a folder of its own.
[ "${0##*/}" = session-start ] || exit 0
load_provenance
is_believed() { # a repository that says that nobody reads this, or wants it, is not
    { ! is_a_repositorys "$1" || { look_up_own; owns_say "$1" "$2"; }; } 2> /dev/null
}
case $CLAUDE_CODE_ENTRYPOINT in
    sdk* | mcp* | local-agent* | *github*) is_believed CLAUDE_CODE_ENTRYPOINT "$CLAUDE_CODE_ENTRYPOINT" && exit 0 ;;
esac
case ${KEEPSTONE_OFF:-0} in
    0 | [Nn] | [Nn][Oo] | [Oo][Ff][Ff] | [Ff][Aa][Ll][Ss][Ee]) ;; # as _WORDS in config/settings.py
    *) is_believed KEEPSTONE_OFF "$KEEPSTONE_OFF" && exit 0 ;;
esac
[ "$CLAUDE_CODE_SESSION_ATTENDED" != 0 ] || ! is_believed CLAUDE_CODE_SESSION_ATTENDED 0 || exit 0
umask 077
PATH=$system_path
told=
case $CLAUDE_PLUGIN_DATA in */../*) more= ;; "$HOME"/.claude/plugins/*) more=$CLAUDE_PLUGIN_DATA ;; *) more= ;; esac
for folder in "$home" "$more"; do
    case $folder in /*) [ -O "$folder" ] && [ -w "$folder" ] && told=$folder/told-python && break ;; esac
done
is_shared= # a folder where others write too
[ -n "$told" ] || { is_shared=1; told=/tmp/keepstone-told-$(id -u); }
# It was told if the note is the user's own, of this day, and not from the future. Making a folder follows no link that
# somebody else has put there. Where nothing can be noted, it is told each time.
if mkdir "$told.$$"; then
    [ -z "$(find "$told" -prune -user "$(id -u)" -mtime -1 ! -newer "$told.$$")" ] || { rmdir "$told.$$"; exit 0; }
    rm -f "$told" || rmdir "$told"
    rmdir "$told.$$"
    if [ -n "$is_shared" ]; then mkdir "$told"; else : > "$told"; fi
fi 2> /dev/null
printf '%s\n' '{"systemMessage": "Keepstone is off: there is no Python 3.9 or newer with SQLite on this machine. Nothing is'\
' recalled or learned. Try: install Python 3.11 or newer from your system'"'"'s packages or python.org"}'
