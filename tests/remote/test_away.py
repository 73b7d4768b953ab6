"""A server that is away, slow, wrong or forged: nothing is lost, nothing doubled, and nobody waits for long."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest

from keepstone import Memory
from keepstone.context import open_context
from keepstone.lib.errors import BadInput, KeepstoneError, NotFound, Queued, Unreachable
from keepstone.lib.text import MASK
from keepstone.remote import client as asking
from keepstone.remote.http import ASK_SECONDS, PEER_FAILURES, PEER_PAUSE_SECONDS, state_file
from keepstone.spool import queue
from remote.clients import Client
from server.serving import TOKEN, serving

NOBODY = "http://127.0.0.1:9"
SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUV-AA"


def patient(client, **more):
    """A memory that has forgotten how its server failed."""
    memory = client.memory(**more)
    memory.context.server.peer.reset_breaker()
    return memory


def port_of(served):
    return str(urlsplit(served.url).port)


def rows(served, columns="content", table="memory"):
    """What the server's database holds, by another process's eyes."""
    memory = Memory(str(served.home), str(served.project), {"HOME": str(served.project.parent)})
    return [hit.memory.content for hit in memory.recent(everything=True, limit=100)]


@contextmanager
def answering(*answers, holds=False):
    """A socket on loopback that gives these answers, one a connection; with `holds` it says nothing at all."""
    server = socket.create_server(("127.0.0.1", 0))
    asked = []

    def run():
        held = []
        for answer in [*answers, *([b""] * 50 if holds else [])]:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            held.append(connection)
            if holds:
                continue
            with connection:
                asked.append(request_of(connection))
                connection.sendall(answer)

    threading.Thread(target=run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
    finally:
        server.close()


def request_of(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65_536)
    return head.decode(), body.decode()


def http(value, status="200 OK", *headers):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


# Away


def test_what_is_stored_while_the_server_is_away_is_sent_once_when_it_is_back(tmp_path):
    client = Client(tmp_path / "ann", "")
    with serving(tmp_path / "srv") if (tmp_path / "srv").mkdir() is None else None as served:
        port = port_of(served)
        client.env["KEEPSTONE_SERVER_URL"] = served.url
        client.memory().store("Stored while it was there")
    done = client.keepstone("store", "--type", "decision", f"Deploys need the VPN, key {SECRET}")
    assert "kept here" in done.stdout and "keepstone worker run" in done.stdout
    assert json.loads(client.keepstone("store", "--json", "The staging host is atlas").stdout)["kept"] is True
    assert len(client.unsent) == 2
    for path in client.unsent:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 and SECRET not in path.read_text()
    assert client.keepstone("search", "deploy", ok=False).returncode == 1
    assert "2 memories are kept here" in client.keepstone("doctor", ok=False).stdout
    with serving(tmp_path / "srv", "--port", port) as served:
        memory = patient(client)
        found = [hit.memory.content for hit in memory.recent()]
        assert found[:2] == ["The staging host is atlas", f"Deploys need the VPN, key {MASK}"] and len(found) == 3
        assert client.unsent == [] and memory.context.server.send(5) == 0
        ages = [hit.memory.created_at for hit in memory.recent()]
        assert ages == sorted(ages, reverse=True) and memory.maintenance.status().unsent == 0
        assert rows(served) == found


def test_what_comes_twice_is_stored_once(tmp_path):
    (tmp_path / "srv").mkdir()
    with serving(tmp_path / "srv") as served:
        client = Client(tmp_path / "ann", served.url)
        memory = client.memory()
        hit, _ = memory.store("Deploys need the VPN", seed="0" * 32)
        for become in (lambda: None, lambda: memory.revise(hit.memory.id, "Another text"), lambda: None):
            become()
            again, new = memory.store("Deploys need the VPN", seed="0" * 32)
            assert again.memory.id == hit.memory.id and not new
        memory.forget(hit.memory.id)
        assert memory.store("Deploys need the VPN", seed="0" * 32)[0].memory.status == "deleted"
        assert memory.maintenance.total() == 0 and len(memory.history.history(hit.memory.id)[2]) == 3
        Memory(str(served.home), str(served.project), {"HOME": str(tmp_path)}).privacy.erase([hit.memory.id])
        with pytest.raises(NotFound, match="erased since"):
            memory.store("Deploys need the VPN", seed="0" * 32)


KILLED = """
import os, signal, sys
from keepstone.context import open_context
from keepstone.remote.client import Client
from keepstone.remote.http import Peer
class Doomed(Peer):
    asked = 0
    def ask(self, method, body):
        if Doomed.asked == int(sys.argv[1]) and sys.argv[2] == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = super().ask(method, body)
        if Doomed.asked == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
        Doomed.asked += 1
        return answer
client = Client(open_context())
client.peer = Doomed(client.url, client.peer.token, client.context.home, client.context.clock)
client.send(60)
"""


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_that_is_killed_while_it_sends_loses_and_doubles_nothing(tmp_path, at, moment):
    client = Client(tmp_path / "ann", NOBODY)
    said = ("Deploys need the VPN", "The staging host is called atlas", "Invoices are rounded to cents")
    for text in said:
        with pytest.raises(Queued):
            patient(client).store(text)
    (tmp_path / "srv").mkdir()
    with serving(tmp_path / "srv") as served:
        for path in client.unsent:
            path.write_text(path.read_text().replace(NOBODY, served.url))
        client.env["KEEPSTONE_SERVER_URL"] = served.url
        command = [sys.executable, "-c", KILLED, str(at), moment]
        done = subprocess.run(command, cwd=client.folder, env=client.env, timeout=60)
        assert done.returncode == -signal.SIGKILL and client.unsent
        assert "sent to the server, 0 still kept" in client.keepstone("worker", "run").stdout
        assert sorted(rows(served)) == sorted(said) and client.unsent == []
        memory = client.memory()
        for hit in memory.recent():
            assert [entry.op for entry in memory.history.history(hit.memory.id)[2]] == ["store"] and len(
                hit.evidence
            ) == 1


def test_the_worker_sends_what_is_kept(tmp_path):
    client = Client(tmp_path / "ann", NOBODY)
    with pytest.raises(Queued):
        client.memory().store("Deploys need the VPN")
    assert (client.home / "due").exists()  # the next hook starts the worker
    (tmp_path / "srv").mkdir()
    with serving(tmp_path / "srv") as served:
        (path,) = client.unsent
        path.write_text(path.read_text().replace(NOBODY, served.url))
        env = {**client.env, "KEEPSTONE_SERVER_URL": served.url}
        code = "from keepstone import worker; worker.main()"
        subprocess.run([sys.executable, "-c", code], cwd=client.folder, env=env, timeout=60, check=True)
        assert client.unsent == [] and rows(served) == ["Deploys need the VPN"]
    assert "1 memory sent" in (client.home / "logs" / "worker.log").read_text()


def test_what_is_kept_for_one_server_is_not_told_another(tmp_path, shared):
    client = Client(tmp_path, NOBODY)
    with pytest.raises(Queued):
        client.memory().store("Between us")
    client.env["KEEPSTONE_SERVER_URL"] = shared.url
    assert client.memory().recent() == [] and len(client.unsent) == 1


def test_what_the_server_does_not_want_stays_and_is_told(tmp_path, shared):
    client = Client(tmp_path, shared.url)
    memory = client.memory()
    body = memory.context.server.body("store", {"text": "Half known", "kind": "a kind of tomorrow", "seed": "1" * 32})
    queue.keep_unsent(memory.context.home, "1" * 32, {"url": shared.url, "body": body}, time.time())
    assert memory.recent() == [] and len(client.unsent) == 1
    assert "the server refused 1 memory" in client.keepstone("doctor", ok=False).stdout
    assert (
        memory.context.server.send(5) == 0
        and memory.context.server.send(5, again=True) == 0
        and len(client.unsent) == 1
    )


def test_what_the_server_does_not_want_keeps_nothing_else_from_it(tmp_path, shared):
    client = Client(tmp_path, shared.url)
    memory = client.memory()
    for number, change in enumerate(({"machine": "of an earlier Keepstone"}, {})):
        body = memory.context.server.body("store", {"text": f"Note {number}", "seed": str(number) * 32})
        body["where"].update(change)
        kept = {"url": shared.url, "body": body}
        queue.keep_unsent(memory.context.home, str(number) * 32, kept, time.time() + number)
    assert [hit.memory.content for hit in memory.recent()] == ["Note 1"] and len(client.unsent) == 1
    with pytest.raises(BadInput, match="no server is set"):
        asking.Client(open_context(folder=str(client.folder), environ={**client.env, "KEEPSTONE_SERVER_URL": ""}))


def test_what_would_never_be_stored_is_not_kept(tmp_path):
    client = Client(tmp_path, NOBODY)
    for given in ({"kind": "nonsense"}, {"relevance": 7.0}, {"ttl": "soon"}):
        with pytest.raises(BadInput):
            client.memory().store("A text", **given)
    assert client.unsent == []


def test_what_waits_is_redacted_and_erased_as_all_else(tmp_path):
    client = Client(tmp_path, NOBODY)
    with pytest.raises(Queued):
        client.memory().store("A text of before")
    (path,) = client.unsent
    path.write_text(path.read_text().replace("of before", SECRET))
    client.keepstone("scrub", KEEPSTONE_SERVER_URL="")
    assert SECRET not in path.read_text() and MASK in path.read_text()
    client.keepstone("uninstall", "--purge", "--yes", KEEPSTONE_SERVER_URL="")
    assert not client.home.exists()


# Slow, wrong, forged


def test_a_server_that_never_answers_is_waited_for_five_seconds_and_then_left_alone(tmp_path):
    with answering(holds=True) as (url, _):
        client = Client(tmp_path, url)
        started = time.monotonic()
        with pytest.raises(Unreachable, match="no answer in 5 seconds"):
            client.memory().recent()
        assert time.monotonic() - started < ASK_SECONDS + 2
        state = tmp_path / ".local/share/keepstone/server.json"
        noted = json.loads(state.read_text())
        assert noted["failures"] == 1
        state.write_text(json.dumps({**noted, "failures": PEER_FAILURES - 1}))
        with pytest.raises(Queued):
            client.memory().store("Not lost")
        started = time.monotonic()
        with pytest.raises(Unreachable, match=f"failed {PEER_FAILURES} times in a row"):
            client.memory().recent()
        assert time.monotonic() - started < 1 and len(client.unsent) == 1


def test_a_server_is_asked_again_after_a_while(tmp_path, shared):
    client = Client(tmp_path, shared.url)
    memory = client.memory()
    state = tmp_path / ".local/share/keepstone/server.json"
    state.parent.mkdir(parents=True, exist_ok=True)

    def note(**more):
        text = {"url": shared.url, "failures": PEER_FAILURES, "until": time.time() + 5, **more}
        state.write_text(json.dumps(text))

    note()
    with pytest.raises(Unreachable, match="asked again in|failed"):
        memory.recent()
    for more in (
        {"until": time.time() - 1},
        {"until": time.time() + 100 * PEER_PAUSE_SECONDS},  # of a clock that was wrong
        {"url": "http://127.0.0.1:1"},
        {"failures": "many"},
        {"until": None},
    ):
        note(**more)
        assert memory.recent() == [] and not state.exists()
    state.write_text("no JSON")
    assert memory.recent() == []
    note()
    assert (
        "0 jobs done" in client.keepstone("worker", "run").stdout and not state.exists()
    )  # a person wants it asked now


def test_a_server_that_answers_in_drops_is_not_waited_for_for_ever(tmp_path):
    server = socket.create_server(("127.0.0.1", 0))

    def drip():
        connection, _ = server.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            try:
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.2)
            except OSError:
                return

    threading.Thread(target=drip, daemon=True).start()
    with closing(server):
        started = time.monotonic()
        with pytest.raises(Unreachable):
            Client(tmp_path, f"http://127.0.0.1:{server.getsockname()[1]}").memory().recent()
        assert time.monotonic() - started < ASK_SECONDS + 2


def test_a_wrong_or_missing_token_is_told(tmp_path, shared):
    client = Client(tmp_path, shared.url)
    with pytest.raises(KeepstoneError, match="does not know this token") as problem:
        client.memory(KEEPSTONE_TOKEN="a-token-of-somebody-else").store("Not kept")
    assert "KEEPSTONE_TOKEN" in problem.value.hint and client.unsent == []
    for token in ("", "with space", "new\nline", "größer-als-ascii-erlaubt"):
        with pytest.raises(BadInput, match="KEEPSTONE_TOKEN"):
            client.memory(KEEPSTONE_TOKEN=token).recent()
    done = client.keepstone("recent", ok=False, KEEPSTONE_TOKEN="a-token-of-somebody-else")
    assert done.returncode == 1 and "a-token-of-somebody-else" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    "value",
    [
        {"value": [{"$class": "os.system"}]},
        {"value": [{"memory": {}, "short_id": "x"}]},
        {"value": {"found": []}},
        {"value": "text"},
        {"value": None},
        {"value": [None]},
        {"other": []},
        [],
        b"no JSON",
        b"",
        b'{"value": ' + b"[" * 100_000,
        b'{"value": NaN}',
    ],
)
def test_a_forged_answer_is_refused(tmp_path, value):
    with answering(http(value)) as (url, _):
        with pytest.raises(KeepstoneError, match="no server of this Keepstone"):
            Client(tmp_path, url).memory().recent()


@pytest.mark.parametrize(
    "status, headers, kind, says",
    [
        ("302 Found", ["location: http://127.0.0.1:9/"], KeepstoneError, "answers 302"),
        ("404 Not Found", [], KeepstoneError, "answers 404"),
        ("403 Forbidden", [], KeepstoneError, "by that Host"),
        ("413 Content Too Large", [], BadInput, "too much at once"),
        ("400 Bad Request", [], BadInput, "does not take that"),
        ("502 Bad Gateway", [], Unreachable, "can't answer now"),
        ("503 Service Unavailable", ["keepstone-error: StoreError"], KeepstoneError, "by that Host"),
        ("400 Bad Request", ["keepstone-error: BadInput"], BadInput, "by that Host"),
        ("404 Not Found", ["keepstone-error: NotFound"], NotFound, "by that Host"),
        ("409 Conflict", ["keepstone-error: SystemExit"], KeepstoneError, "no server of this Keepstone"),
    ],
)
def test_what_a_server_refuses_is_told_as_what_it_is(tmp_path, status, headers, kind, says):
    told = {"detail": "not reached by that Host\x1b[31m", "hint": "another"}
    with answering(http(told, status, *headers)) as (url, asked):
        with pytest.raises(kind, match=says) as problem:
            Client(tmp_path, url).memory().recent()
        assert "\x1b" not in str(problem.value) and problem.value.hint and len(asked) == 1


def test_only_what_is_asked_goes_out(tmp_path):
    with answering(http({"value": []})) as (url, asked):
        Client(tmp_path, url).memory(http_proxy=NOBODY, ALL_PROXY=NOBODY).recent()
    ((head, body),) = asked
    assert f"Token {TOKEN}" in head and json.loads(body)["where"]["keys"] == [f"dir:{tmp_path / 'shop'}"]
    assert json.loads(body)["where"]["said"] == "" and "cookie" not in head.lower()


# Which server


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org", "example.org", "http://", "https://ann:secret-word@example.org", "https://example.org/?a=b"]
    + [
        "https://example.org/#x",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "file:///etc/passwd",
        "https://exämple.org",
    ],
)
def test_an_address_that_is_none_is_refused_and_no_other_memory_opened(tmp_path, url):
    client = Client(tmp_path, url)
    with pytest.raises(BadInput) as problem:
        client.memory()
    assert "https://keepstone.example.org" in str(problem.value) and "secret-word" not in str(problem.value)
    done = client.keepstone("store", "Where does it go?", ok=False)
    assert done.returncode == 2 and "KEEPSTONE_SERVER_URL" in done.stderr and "secret-word" not in done.stderr
    assert not (client.home / "keepstone.db").exists()
    done = client.keepstone("config", "server_url", url, ok=False, KEEPSTONE_SERVER_URL="")
    assert done.returncode == 2 and "secret-word" not in done.stderr


def test_the_token_goes_unencrypted_to_no_other_machine_unasked(tmp_path):
    with pytest.raises(BadInput, match="is not encrypted"):
        Client(tmp_path, "http://192.0.2.1").memory()
    assert (
        Client(tmp_path, "http://192.0.2.1", KEEPSTONE_SERVER_ALLOW_HTTP="1").memory().context.server.url
        == "http://192.0.2.1"
    )
    assert (
        Client(tmp_path, "HTTPS://192.0.2.1").memory().context.server.url == "https://192.0.2.1"
    )  # whose certificate is looked at
    for url in ("https://192.0.2.1/", "http://localhost:1", "http://[::1]:1", "http://127.0.0.2:1"):
        assert Client(tmp_path, url).memory().context.server.url == url.rstrip("/")


@pytest.mark.parametrize("name", ["KEEPSTONE_SERVER_URL", r"KEEPSTONE_SERVER\u005fURL"])
def test_a_repository_does_not_say_whom_to_tell(tmp_path, name):
    """Whoever has memories on a server that only a variable names is told; there is none to fall back to."""
    client = Client(tmp_path, "")
    client.env["KEEPSTONE_SERVER_URL"] = NOBODY
    (client.folder / ".claude").mkdir()
    (client.folder / ".claude" / "settings.json").write_text(f'{{"env": {{"{name}": "{NOBODY}"}}}}')
    assert client.keepstone("recent").stderr.startswith("No memories yet")
    (client.home / "keepstone.db").unlink()
    (client.home / "copy-0123456789abcdef.db").touch()
    done = client.keepstone("recent", ok=False)
    assert done.returncode == 2 and "may be a repository's" in done.stderr
    (client.folder / "src").mkdir()
    code = "from keepstone.api.open import opened; opened()"
    command = [sys.executable, "-c", code]
    for env in (client.env, {**client.env, "CLAUDE_PROJECT_DIR": str(client.folder)}):
        done = subprocess.run(command, cwd=client.folder / "src", env=env, capture_output=True, text=True)
        assert "may be a repository's" in done.stderr
    assert not (client.home / "keepstone.db").exists()
    client.keepstone("config", "server_url", "https://memory.example.org", KEEPSTONE_SERVER_URL="")
    command[-1] = code.replace("; opened()", "; print(opened().context.server.url)")
    done = subprocess.run(command, cwd=client.folder / "src", env=client.env, capture_output=True, text=True)
    assert done.stdout == "https://memory.example.org\n"


def test_a_session_s_model_does_not_say_whose_memories_these_are(tmp_path):
    client = Client(tmp_path, "")
    for name, value in (("server_url", NOBODY), ("server_allow_http", "1")):
        done = client.keepstone("config", name, value, ok=False, CLAUDE_CODE_SESSION_ID="s-1")
        assert done.returncode == 2 and "only a person" in done.stderr
    assert not (client.home / "config.json").exists()


def test_the_setting_of_a_server_holds_for_the_command_line(tmp_path, shared):
    client = Client(tmp_path, "")
    del client.env["KEEPSTONE_SERVER_URL"]
    client.keepstone("store", "Of this machine")
    client.keepstone("config", "server_url", shared.url)
    assert client.keepstone("recent").stdout == ""
    client.keepstone("store", "Of the server")
    assert (
        "Of the server" in client.keepstone("recent").stdout
        and f"Server: {shared.url}" in client.keepstone("status").stdout
    )
    assert shared.url in client.keepstone("doctor", ok=False).stdout
    assert "Of this machine" in client.keepstone("recent", KEEPSTONE_SERVER_URL="").stdout
    done = client.keepstone("backup", ok=False)
    assert done.returncode == 2 and "is done on that machine" in done.stderr


def test_before_the_packages_are_there_nothing_goes_to_the_wrong_memory(machine):
    machine.record_interpreters(worker="")
    for words in (("store", "A text"), ("recent",), ("status",)):
        done = machine.bin(*words, ok=False, KEEPSTONE_SERVER_URL=NOBODY)
        assert done.returncode == 1 and "needs Keepstone's packages" in done.stderr
    assert not list((machine.home / "spool").glob("*/*")) and not (machine.home / "keepstone.db").exists()


def test_two_machines_with_a_folder_of_one_name_share_no_project(tmp_path, shared):
    one, other = (Client(tmp_path / name, shared.url) for name in ("ann", "bob"))
    body = one.memory().context.server.body("recent", {})["where"]
    assert body["machine"] != other.memory().context.server.body("recent", {})["where"]["machine"]
    one.memory().store("Ann's own")
    moved = other.memory()
    moved.context.caller.identity.keys = one.memory().context.caller.identity.keys
    assert moved.recent() == [] and one.memory().recent()[0].memory.content == "Ann's own"


def test_a_repository_is_one_project_for_all_its_clones(tmp_path, shared):
    one, other = (Client(tmp_path / name, shared.url, "git@example.org:acme/pay.git") for name in ("ann", "bob"))
    one.memory().store("The retry policy is three attempts")
    (hit,) = other.memory().recent()
    assert hit.memory.content == "The retry policy is three attempts" and hit.project == "acme/pay"


def test_the_state_of_a_server_is_the_users_alone(tmp_path):
    with pytest.raises(Unreachable):
        Client(tmp_path, NOBODY).memory().recent()
    state = state_file(str(tmp_path / ".local/share/keepstone"))
    assert stat.S_IMODE(os.stat(state).st_mode) == 0o600
