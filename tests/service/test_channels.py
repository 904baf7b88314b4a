"""A channel where friends talk: each event once and after its commit, nothing hidden, no address inside the machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import apprise
import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.host.call_out import Guard, looked_at, readable
from pbem.host.calling import NOT_PUBLIC, call_out, checked_channel, in_a_child
from pbem.protocol.formats.envelopes import make_file, open_channel
from tests.cli.seats import Friends
from tests.forked import Forked
from tests.patience import PATIENCE
from tests.service.child import KillAt
from tests.service.people import parse
from tests.service.table import Table
from tests.service.test_api import Apis

URL = "ntfys://friends"


def check_here(url: str) -> str:
    """As the service does it, without a process that imports the library again each time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the library's services import what is old
        return checked_channel(url, lambda given: looked_at(str(given["url"]))[0])


def check_patiently(url: str) -> str:
    """As the service does it, by a process, for which a busy machine may need longer than a service waits."""
    return checked_channel(url, partial(in_a_child, patience=PATIENCE))


class Receiver:
    """A channel of the tests: what it was shown, or that it does not take anything."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.away = False

    def __call__(self, url: str, title: str, text: str) -> None:
        assert (url, title) == (URL, "Wyatt Earp")
        if self.away:
            raise StoreError("the channel does not take it")
        self.texts.append(text)

    def at(self, table: Table) -> Table:
        """The table's service calls this one."""
        table.service.context.call_out, table.service.context.check_channel = self, check_here
        return table


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def table(tmp_path: Path, receiver: Receiver) -> Table:
    new_table = receiver.at(Table(tmp_path))
    new_table.service.matches.channel(new_table.short, URL)
    return new_table.start()


def play_until_dropped(table: Table) -> None:
    """On and on while the service has a channel, at most forty files."""
    for _ in range(20):
        if table.service.matches.channel(table.short, None):
            table.play(limit=2)


def test_each_event_is_shown_once(table: Table, receiver: Receiver) -> None:
    assert re.fullmatch(r"The table is full: Wyatt Earp \(#\d+\)", receiver.texts[0])
    assert "'s turn in Wyatt Earp, by " in receiver.texts[1]
    before = len(receiver.texts)
    table.pump()
    assert len(receiver.texts) == before
    table.play(limit=8)
    assert len(receiver.texts) > before
    assert len(set(receiver.texts)) == len(receiver.texts)
    table.service.close()


def test_the_token_is_in_no_row_and_no_log(table: Table, tmp_path: Path) -> None:
    raw = b"".join(path.read_bytes() for path in tmp_path.glob("service.db*"))
    assert b"ntfys://" not in raw
    assert table.service.matches.channel(table.short, None) == [("", "ntfys")]
    table.service.close()


def test_two_hands_are_shown_in_equal_words(tmp_path: Path) -> None:
    """What is shown follows from public facts: other hidden cards change no byte of it."""
    texts = []
    for nonce in ("nonce service", "nonce service, another deal"):
        receiver = Receiver()
        folder = tmp_path / nonce.replace(" ", "-")
        folder.mkdir()
        table = receiver.at(Table(folder, nonce=nonce))
        table.service.matches.channel(table.short, URL)
        table.start()
        texts.append(receiver.texts)
        table.service.close()
    assert texts[0] == texts[1]


def test_a_player_hears_of_the_own_turn_only(tmp_path: Path, receiver: Receiver) -> None:
    table = receiver.at(Table(tmp_path))
    table.service.matches.channel(table.short, URL, "burt")
    table.start()
    table.play(limit=6)
    assert receiver.texts
    assert not any(text.startswith("Anna's turn") for text in receiver.texts)
    table.service.close()


def test_a_channel_that_takes_nothing_is_dropped_and_said(table: Table, receiver: Receiver) -> None:
    receiver.away = True
    play_until_dropped(table)
    assert table.service.matches.channel(table.short, None) == []
    (said, *_) = table.notes("channel")
    assert "ntfys" in said
    assert "friends" not in said
    table.service.close()


def test_off_is_one_word(table: Table, receiver: Receiver) -> None:
    table.service.matches.channel(table.short, None, off=True)
    before = len(receiver.texts)
    table.play(limit=4)
    assert len(receiver.texts) == before
    table.service.close()


def dies_while_it_calls(given: str) -> None:
    """A service of its own takes a mail and is killed at a point; what its channel was shown lies in a file."""
    asked = json.loads(given)
    folder = Path(asked["folder"])
    table = Table(folder, fresh=False)
    table.service.context.call_out = lambda _, __, text: write_line(folder / "told", text)
    table.service.context.steps = KillAt(asked["point"], 1)
    table.clock.tick(1500)  # the one before leads no more
    table.mail.arrive(asked["mail"].encode())
    table.service.run_once()


def write_line(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(f"{text}\n")


@pytest.mark.parametrize("point", ["ruled", "notice-leaving", "notice-sent"])
def test_kill_9_loses_no_event_and_a_repeat_has_the_same_number(
    tmp_path: Path, receiver: Receiver, point: str
) -> None:
    """Killed in the very moment of sending it is sent again: who drops repeats has each event once."""
    table = receiver.at(Table(tmp_path))
    table.service.matches.channel(table.short, URL)
    table.invite()
    first, second = table.players.values()
    table.send(first.mail(first.join(table.words[first.seat])))
    raw = second.mail(second.join(table.words[second.seat]))
    table.service.close()
    given = {"folder": str(tmp_path), "point": point, "mail": raw.decode()}
    killed = Forked(dies_while_it_calls, json.dumps(given), tmp_path / "child.err").wait()
    assert killed == (-signal.SIGKILL, "")
    again = Table(tmp_path, fresh=False)
    again.service.context.call_out = lambda _, __, text: write_line(tmp_path / "told", text)
    again.clock.tick(3000)
    if point == "ruled":  # nothing was committed: the mail lies in its mailbox
        again.mail.arrive(raw)
    for _ in range(3):
        again.service.run_once()
    texts = (tmp_path / "told").read_text().splitlines() if (tmp_path / "told").exists() else []
    full = [text for text in texts if text.startswith("The table is full: Wyatt Earp (#")]
    assert len(full) == (2 if point == "notice-sent" else 1)
    assert len(set(full)) == 1, "a channel that drops what it has heard gets each event once"
    assert len(set(texts)) == len(texts) - len(full) + 1
    with again.service.context.database.reading() as transaction:
        left = transaction.run("SELECT name, value FROM meta WHERE name LIKE 'notice/%'")
        assert left == [], texts
    again.service.close()


@pytest.fixture
def apis(tmp_path: Path, receiver: Receiver) -> Iterator[Apis]:
    started = Apis(tmp_path)
    receiver.at(started.table).start()
    yield started
    started.close()


def test_a_player_sets_his_own_channel_by_himself(apis: Apis, receiver: Receiver) -> None:
    anna, burt = apis.come()["anna"], apis.come()["burt"]
    place = f"{burt.path}/channel"
    assert burt.ask("GET", place).json() == {"kinds": []}
    answer = burt.ask("POST", place, json={"url": URL})
    assert (answer.status_code, answer.json()) == (200, {"kinds": ["ntfys"]})
    assert anna.ask("GET", f"{anna.path}/channel").json() == {"kinds": []}, "another's is nobody's business"
    apis.table.play(limit=6)
    assert any(text.startswith("Burt's turn") for text in receiver.texts)
    assert not any(text.startswith("Anna's turn") for text in receiver.texts)
    assert burt.ask("DELETE", place).json() == {"kinds": []}
    before = len(receiver.texts)
    apis.table.play(limit=4)
    assert len(receiver.texts) == before


def test_an_address_that_is_no_channel_is_refused_and_not_repeated(apis: Apis) -> None:
    burt = apis.come()["burt"]
    for url in ("ntfy://secret-token", "mailtos://a:secret-token@example.org", ""):
        answer = burt.ask("POST", f"{burt.path}/channel", json={"url": url})
        assert answer.status_code == 422
        assert "secret-token" not in answer.text
    assert burt.ask("POST", f"{burt.path}/channel", json={"url": URL}).status_code == 429, "three a minute"
    apis.time += 61
    assert burt.ask("POST", f"{burt.path}/channel", json=[URL]).status_code == 422
    assert apis.client.request("GET", f"{burt.path}/channel").status_code == 401


def test_a_players_channel_that_takes_nothing_is_dropped_and_the_player_hears_of_it(
    apis: Apis, receiver: Receiver
) -> None:
    burt = apis.come()["burt"]
    assert burt.ask("POST", f"{burt.path}/channel", json={"url": URL}).status_code == 200
    receiver.away = True
    play_until_dropped(apis.table)
    assert burt.ask("GET", f"{burt.path}/channel").json() == {"kinds": []}
    apis.table.pump()
    letters = map(parse, apis.table.mail.letters("burt@players.test"))
    (letter,) = [
        letter for letter in letters if "Your channel is told nothing more" in str(letter["Subject"])
    ]
    text = str(letter.get_content())
    assert "(ntfys)" in text
    assert "friends" not in text
    assert apis.table.notes("channel") == [], "it is not the organiser's"


@pytest.fixture
def by_mail(tmp_path: Path, receiver: Receiver) -> Iterator[Table]:
    """A match of friends who have mail alone."""
    table = receiver.at(Table(tmp_path))
    yield table.start()
    table.service.close()


def answers(table: Table) -> list[str]:
    """What Burt was answered about his channel, oldest first."""
    letters = map(parse, table.mail.letters("burt@players.test"))
    about = (letter for letter in letters if "chat channel" in str(letter["Subject"]))
    return [" ".join(re.split(r"\r?\n\r?\n", str(email.get_content()))[0].split()) for email in about]


def channels(table: Table) -> list[tuple[str, str]]:
    return table.service.matches.channel(table.short, None)


SET = "Your turns are announced in your channel too (ntfys)."
OFF = "Your turns are announced in no channel of your own any more."
OLD = "Nothing has changed: this file, or a newer one about your channel, came before."


def test_a_friend_with_mail_alone_sets_his_own_channel_and_ends_it(
    by_mail: Table, receiver: Receiver
) -> None:
    burt, before = by_mail.players["burt"], len(by_mail.lines)
    by_mail.send(burt.mail(burt.channel(URL), "armour"))
    by_mail.pump()
    assert (channels(by_mail), answers(by_mail)) == ([("burt", "ntfys")], [SET])
    assert len(by_mail.lines) == before, "no record holds it"
    assert by_mail.notes("program-fault") == []
    by_mail.play(limit=6)
    assert any(text.startswith("Burt's turn") for text in receiver.texts)
    assert not any(text.startswith("Anna's turn") for text in receiver.texts)
    by_mail.send(burt.mail(burt.channel("")))
    assert (channels(by_mail), answers(by_mail)) == ([], [SET, OFF])
    heard = len(receiver.texts)
    by_mail.play(limit=4)
    assert len(receiver.texts) == heard


def test_an_older_file_changes_nothing_whenever_it_comes(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    kept_back, newer = burt.channel(URL), burt.channel(URL)
    by_mail.send(burt.mail(newer))
    by_mail.send(burt.mail(burt.channel("")))
    for replayed in (kept_back, newer):
        by_mail.send(burt.mail(replayed))
        assert channels(by_mail) == []
    assert answers(by_mail) == [SET, OFF, OLD, OLD]
    late = burt.channel(URL)
    by_mail.play(limit=6)  # a newer number of theirs is in the record
    by_mail.send(burt.mail(late))
    assert channels(by_mail) == []


def test_off_that_overtakes_the_look_at_an_address_counts(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    on, off = burt.mail(burt.channel(URL)), burt.mail(burt.channel(""))
    by_mail.mail.arrive(on)
    by_mail.mail.arrive(off)
    by_mail.pump()
    by_mail.pump()
    assert (channels(by_mail), answers(by_mail)) == ([], [OFF])


@pytest.mark.parametrize("forged", ["another seat's key", "another seat's name", "another number"])
def test_nobody_else_sets_it(by_mail: Table, forged: str) -> None:
    anna, burt = by_mail.players["anna"], by_mail.players["burt"]
    file = burt.channel(URL)
    body = dict(file["body"])
    if forged == "another seat's key":
        file = make_file("channel", body, anna.identity.sign_key, anna.identity.sign_public)
    elif forged == "another seat's name":  # signed by Burt, about Anna's turns
        file = make_file(
            "channel", body | {"seat": "anna"}, burt.identity.sign_key, burt.identity.sign_public
        )
    else:  # the sealed address of an older file under a fresh number does not open
        body["n"] += 1
        file = make_file("channel", body, burt.identity.sign_key, burt.identity.sign_public)
    by_mail.send(burt.mail(file))
    by_mail.pump()
    assert channels(by_mail) == []
    wrong = "The address in your file does not open here. Make another file: pbem channel."
    assert answers(by_mail) == ([wrong] if forged == "another number" else [])


def test_what_is_no_channel_is_refused_by_the_same_rules_and_not_repeated(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    for url, why in {
        "ntfy://secret-token": "a channel is a service that is reached over TLS.",
        "nothing://secret-token": "this is not the address of a channel.",
    }.items():
        by_mail.send(burt.mail(burt.channel(url)))
        by_mail.pump()
        assert answers(by_mail)[-1].startswith(f"Your channel was not set: {why}")
    assert channels(by_mail) == []
    assert not any(b"secret-token" in raw for _, raw in by_mail.mail.delivered)


def test_the_token_of_a_file_is_in_no_row_no_log_and_no_mail(
    by_mail: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    burt, token = by_mail.players["burt"], "a-token-of-burt"
    file = burt.channel(f"ntfys://{token}@ntfy.example/x")
    with caplog.at_level(0):
        by_mail.mail.arrive(burt.mail(file))
        by_mail.service.context.call_out = lambda *_: None
        by_mail.service.context.check_channel = check_patiently
        by_mail.pump()
        by_mail.play(limit=2)
    assert channels(by_mail) == [("burt", "ntfys")]
    out = capfd.readouterr()
    raw = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    mails = json.dumps(file) + "".join(parse(mail).as_string() for _, mail in by_mail.mail.delivered)
    for place in (raw.decode("latin-1"), mails, caplog.text, out.out, out.err):
        assert token not in place
    assert token in open_channel(
        burt.record.game, "burt", file["body"]["n"], by_mail.service.context.host.seal_key,
        burt.record.ledger.host_seal, file["body"]["channel"],
    ), "the look above would find it"  # fmt: skip


def test_so_many_a_day(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    for _ in range(22):
        by_mail.mail.arrive(burt.mail(burt.channel("")))
        by_mail.clock.tick(400)
        by_mail.pump()
    assert 10 <= len(answers(by_mail)) <= 20


def test_the_command_seals_the_address_and_a_folder_says_that_it_notifies_no_channel(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    before, file = friends.game_file, friends.folder("burt") / "channel.json"
    done = friends.play("burt", "channel", "-o", file, stdin=b"ntfys://a-token-of-burt\n")
    assert done.code == 0, done.err
    assert friends.send(file).code == 0
    (letter,) = friends.folder("burt").glob("*own-channel*")
    text = str(parse(letter.read_bytes()).get_content())
    assert "This host announces nothing in channels." in text
    assert friends.game_file == before
    assert not any(b"a-token" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    off = friends.play("burt", "channel", "--off", "-o", file)
    assert off.code == 0, off.err
    assert friends.play("burt", "channel", stdin=b"not one\n").code == 2
    assert friends.play("burt", "channel", stdin=b"\n").code == 2
    page = json.loads((friends.folder("burt") / "sent" / "book.json").read_text())
    assert len(page) == 4, "join, ready, and two about the channel"


@pytest.mark.parametrize(
    "url",
    ["ntfy://friends", "json://example.org/x", "mailtos://a:b@example.org", "nothing", "file:///etc/passwd"],
)
def test_only_services_behind_tls_are_taken(url: str) -> None:
    with pytest.raises(UsageProblem) as fault:
        check_here(url)
    assert url not in str(fault.value)


@pytest.mark.parametrize(
    ("url", "why"), [("ntfy://friends", "over TLS"), ("nothing", "not the address of a channel")]
)
def test_a_service_looks_at_an_address_by_a_process_of_its_own(tmp_path: Path, url: str, why: str) -> None:
    table = Table(tmp_path)
    assert table.service.context.check_channel is checked_channel
    table.service.context.check_channel = check_patiently
    with pytest.raises(UsageProblem, match=why):
        table.service.matches.channel(table.short, url)
    assert table.service.matches.channel(table.short, None) == []
    table.service.close()


@pytest.mark.parametrize("host", ["localhost", "[::1]", "169.254.169.254"])
def test_no_address_inside_the_network_is_called(host: str) -> None:
    with pytest.raises(StoreError, match="not public"):
        call_out(f"jsons://{host}:1/x", "title", "text", patience=PATIENCE)


def test_no_file_of_this_machine_is_read_by_a_channel(tmp_path: Path) -> None:
    """A service that takes a template by its name is not given what lies here."""
    (tmp_path / "host.identity").write_text("keys")
    guard = Guard(())
    for place in (tmp_path / "host.identity", Path("/etc/passwd"), Path.home() / ".netrc"):
        with pytest.raises(PermissionError):
            guard("open", (str(place), "r", 0))
    guard("open", (apprise.__file__, "r", 0))
    with pytest.raises(PermissionError):
        guard("subprocess.Popen", ("sh", [], None, None))


def test_below_the_folder_of_compiled_files_only_those_of_libraries_are_read(tmp_path: Path) -> None:
    folders = readable(str(tmp_path))
    compiled = Path(str(tmp_path) + apprise.__file__)
    assert any(compiled.is_relative_to(folder) for folder in folders)
    assert not any((tmp_path / "host.identity").is_relative_to(folder) for folder in folders)
    assert readable(None) == tuple(folder for folder in folders if not folder.is_relative_to(tmp_path))


def test_a_service_that_takes_a_template_is_not_given_a_file_of_this_machine(tmp_path: Path) -> None:
    """Such a service exists, and without the guard it would send the file."""
    template = tmp_path / "template.json"
    template.write_text(json.dumps({"type": "message", "attachments": [{"contentType": "x"}]}))
    program = (
        "import sys; import pbem.host.call_out as c\n"
        "url = 'workflows://example.org/aaaabbbbccccddddeeeeffff/aaaabbbbccccddddeeeeffff?template=' + sys.argv[1]\n"
        "made = c.apprise.Apprise.instantiate(url)\n"
        "assert made.gen_payload('x'), 'it reads the file'\n"
        "sys.addaudithook(c.Guard(()))\n"
        "assert not made.gen_payload('x'), 'and with the guard it does not'\n"
    )
    command = [sys.executable, "-c", program, str(template)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "localhost"),
        *("::ffff:127.0.0.1", "0.0.0.0", "fe80::1%eth0", "::"),  # noqa: S104 - refused
    ],
)
def test_the_guard_knows_every_spelling(host: str) -> None:
    with pytest.raises(PermissionError):
        Guard(())("socket.connect", (None, (host, 443)))
    Guard(())("socket.connect", (None, ("1.1.1.1", 443)))
    with pytest.raises(PermissionError):
        Guard(())("socket.connect", (None, "/run/socket"))


def test_the_guard_is_at_the_connection_whatever_connects() -> None:
    """A library that opens a socket by itself is refused as well."""
    program = (
        "import sys, socket; sys.argv=['x']; import pbem.host.call_out as c; g=c.Guard(());sys.addaudithook(g)\n"
        "try:\n socket.create_connection(('localhost', 9), 1)\nexcept PermissionError: sys.exit(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == NOT_PUBLIC


def test_the_child_prints_nothing() -> None:
    given = json.dumps({"url": "jsons://user:secret@127.0.0.1:1/", "title": "t", "text": "x", "also": []})
    done = subprocess.run(
        [sys.executable, "-m", "pbem.host.call_out"], input=given, capture_output=True, text=True, check=False
    )
    assert "secret" not in done.stdout + done.stderr
