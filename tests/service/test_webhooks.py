"""Chat webhooks: each event once, after its commit, nothing hidden; nobody is pinged, nothing inside is called."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme

from pbem.base.errors import StoreError, UsageProblem
from pbem.game import JsonObject, Seat
from pbem.host.service.public_post import PostAnswer, PublicPost, is_public
from pbem.host.service.webhook_bodies import inactive, request_to
from pbem.host.service.webhooks import MOST_FAILURES, WebhookCaller
from pbem.protocol.client import UnknownService, compose_join, compose_rekey, read_webhook
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, open_channel, seal_channel
from pbem.protocol.formats.messages import build_channel
from tests.cli.seats import Friends
from tests.forked import Forked
from tests.patience import PATIENCE
from tests.service.chat_services import ADDRESSES, ChatServices
from tests.service.child import KillAt
from tests.service.people import Player, parse
from tests.service.table import Table
from tests.service.test_api import Apis
from tests.world import secret

URL = ADDRESSES["ntfy"]
SECRET = URL.rpartition("/")[2]


@pytest.fixture
def chats() -> Iterator[ChatServices]:
    started = ChatServices()
    yield started
    started.close()


def calling(table: Table, chats: ChatServices) -> Table:
    """The table's service calls these."""
    table.service.webhooks = WebhookCaller(table.service.context, chats.post)
    return table


@pytest.fixture
def table(tmp_path: Path, chats: ChatServices) -> Table:
    new_table = calling(Table(tmp_path), chats)
    new_table.service.matches.webhook(new_table.short, URL)
    return new_table.start()


def busy(chats: ChatServices, count: int, status: int = 500) -> None:
    chats.answers += [(status, {}, b"")] * count


def play_until_dropped(table: Table) -> None:
    """On and on while the service has a webhook, at most forty files."""
    for _ in range(20):
        if table.service.matches.webhook(table.short, None):
            table.play(limit=2)


def test_each_event_is_shown_once(table: Table, chats: ChatServices) -> None:
    assert re.fullmatch(r"The table is full: Wyatt Earp \(#\d+\)", chats.lines[0])
    assert "'s turn in Wyatt Earp, by " in chats.lines[1]
    before = len(chats.lines)
    table.pump()
    assert len(chats.lines) == before
    table.play(limit=8)
    assert len(chats.lines) > before
    assert len(set(chats.lines)) == len(chats.lines)
    table.service.close()


def test_the_token_is_in_no_row_and_no_log(table: Table, tmp_path: Path) -> None:
    raw = b"".join(path.read_bytes() for path in tmp_path.glob("service.db*"))
    assert SECRET.encode() not in raw
    assert b"webhook/" in raw, "the look above finds what is there"
    assert table.service.matches.webhook(table.short, None) == {"": "ntfy"}
    table.service.close()


def test_two_hands_are_shown_in_equal_words(tmp_path: Path) -> None:
    """What is shown follows from public facts: other hidden cards change no byte of it."""
    texts = []
    for nonce in ("nonce service", "nonce service, another deal"):
        chats, folder = ChatServices(), tmp_path / nonce.replace(" ", "-")
        folder.mkdir()
        table = calling(Table(folder, nonce=nonce), chats)
        table.service.matches.webhook(table.short, URL)
        table.start()
        texts.append([shown.text for shown in chats.shown])
        table.service.close()
        chats.close()
    assert texts[0] == texts[1] != []


def test_a_player_hears_of_the_own_turn_only(tmp_path: Path, chats: ChatServices) -> None:
    table = calling(Table(tmp_path), chats)
    table.service.matches.webhook(table.short, URL, "burt")
    table.start()
    table.play(limit=6)
    assert chats.lines
    assert not any(line.startswith("Anna's turn") for line in chats.lines)
    table.service.close()


def test_one_that_takes_nothing_is_dropped_and_said(table: Table, chats: ChatServices) -> None:
    busy(chats, 50)
    play_until_dropped(table)
    assert table.service.matches.webhook(table.short, None) == {}
    (said, *_) = table.notes("webhook")
    assert said == (
        "ntfy takes nothing from the chat webhook: the server answers 500. It is called no more."
        f" To set it again: pbem host webhook {table.short}"
    )
    table.service.close()


def test_failures_in_a_row_alone_drop_it_and_nothing_is_lost(table: Table, chats: ChatServices) -> None:
    busy(chats, MOST_FAILURES - 1)
    for _ in range(2 * MOST_FAILURES):
        table.play(limit=1)
        table.clock.tick(300)
        table.pump()
    busy(chats, MOST_FAILURES - 1)
    for _ in range(2 * MOST_FAILURES):
        table.play(limit=1)
        table.clock.tick(300)
        table.pump()
    assert table.service.matches.webhook(table.short, None) == {"": "ntfy"}
    assert f"(#{len(table.lines) - 1})" in chats.lines[-1]
    table.service.close()


def test_a_service_says_when_it_may_be_called_again(tmp_path: Path, chats: ChatServices) -> None:
    """Discord in a header (Slack, Mattermost and ntfy alike), Telegram in the body; nobody hears less for it."""
    table = calling(Table(tmp_path), chats)
    for service, headers, body in (
        (
            "discord",
            {"Retry-After": "400"},
            b'{"message": "You are being rate limited.", "retry_after": 400.0}',
        ),
        ("telegram", {}, b'{"ok":false,"error_code":429,"parameters":{"retry_after":400}}'),
    ):
        table.service.matches.webhook(table.short, ADDRESSES[service])
        if service == "discord":
            table.start()
            table.service.webhooks = WebhookCaller(table.service.context, chats.post)
        before, shown = chats.asked, len(chats.shown)
        chats.answers.append((429, headers, body))
        table.play(limit=1)
        assert (chats.asked, len(chats.shown)) == (before + 1, shown)
        table.clock.tick(300)
        table.pump()
        assert chats.asked == before + 1, "it is left alone"
        table.clock.tick(101)
        table.pump()
        assert (chats.asked, len(chats.shown)) == (before + 2, shown + 1)
    table.service.close()


def test_off_is_one_word(table: Table, chats: ChatServices) -> None:
    table.service.matches.webhook(table.short, None, off=True)
    before = len(chats.lines)
    table.play(limit=4)
    assert len(chats.lines) == before
    table.service.close()


def test_after_the_end_of_the_match_it_is_gone(table: Table, chats: ChatServices) -> None:
    anna, burt = table.players.values()
    table.send(anna.mail(anna.consent({"kind": "end"})))
    table.send(burt.mail(burt.consent({"kind": "end"})))
    assert table.players["anna"].record.over
    assert chats.lines[-1].startswith("Wyatt Earp is over")
    assert table.service.matches.webhook(table.short, None) == {}
    table.service.close()


def dies_while_it_calls(given: str) -> None:
    """A service of its own takes a mail and is killed at a point; what its webhook was shown lies in a file."""
    asked = json.loads(given)
    folder = Path(asked["folder"])
    table = Table(folder, fresh=False)
    table.service.webhooks = writing(table, folder / "heard")
    table.service.context.steps = KillAt(asked["point"], 1)
    table.clock.tick(1500)  # the one before leads no more
    table.mail.arrive(asked["mail"].encode())
    table.service.run_once()


def writing(table: Table, path: Path) -> WebhookCaller:
    def post(_: str, __: object, body: bytes) -> PostAnswer:
        with path.open("a") as file:
            file.write(json.loads(body)["message"] + "\n")
        return PostAnswer(200, "", b"")

    return WebhookCaller(table.service.context, post)


@pytest.mark.parametrize("point", ["ruled", "notice-leaving", "notice-sent"])
def test_kill_9_loses_no_event_and_a_repeat_has_the_same_number(
    tmp_path: Path, chats: ChatServices, point: str
) -> None:
    """Killed in the very moment of sending it is sent again: who drops repeats has each event once."""
    table = calling(Table(tmp_path), chats)
    table.service.matches.webhook(table.short, URL)
    table.invite()
    first, second = table.players.values()
    table.send(first.mail(first.join(table.words[first.seat])))
    raw = second.mail(second.join(table.words[second.seat]))
    table.service.close()
    given = {"folder": str(tmp_path), "point": point, "mail": raw.decode()}
    killed = Forked(dies_while_it_calls, json.dumps(given), tmp_path / "child.err").wait()
    assert killed == (-signal.SIGKILL, "")
    again = Table(tmp_path, fresh=False)
    again.service.webhooks = writing(again, tmp_path / "heard")
    again.clock.tick(3000)
    if point == "ruled":  # nothing was committed: the mail lies in its mailbox
        again.mail.arrive(raw)
    for _ in range(3):
        again.service.run_once()
    texts = [line for line in (tmp_path / "heard").read_text().splitlines() if "(#" in line]
    full = [text for text in texts if text.startswith("The table is full: Wyatt Earp (#")]
    assert len(full) == (2 if point == "notice-sent" else 1)
    assert len(set(texts)) == len(texts) - len(full) + 1, (
        "who drops what they have heard gets each event once"
    )
    assert not again.service.webhooks.flush()
    again.service.close()


@pytest.fixture
def apis(tmp_path: Path, chats: ChatServices) -> Iterator[Apis]:
    started = Apis(tmp_path)
    calling(started.table, chats).start()
    yield started
    started.close()


def test_a_player_sets_his_own_by_himself(apis: Apis, chats: ChatServices) -> None:
    anna, burt = apis.come()["anna"], apis.come()["burt"]
    place = f"{burt.path}/webhook"
    assert burt.ask("GET", place).json() == {"service": ""}
    answer = burt.ask("POST", place, json={"url": URL})
    assert (answer.status_code, answer.json()) == (200, {"service": "ntfy"})
    assert anna.ask("GET", f"{anna.path}/webhook").json() == {"service": ""}, "another's is nobody's business"
    apis.table.play(limit=6)
    assert any(line.startswith("Burt's turn") for line in chats.lines)
    assert not any(line.startswith("Anna's turn") for line in chats.lines)
    assert burt.ask("DELETE", place).json() == {"service": ""}
    before = len(chats.lines)
    apis.table.play(limit=4)
    assert len(chats.lines) == before


def test_an_address_that_is_none_is_refused_and_not_repeated(apis: Apis) -> None:
    burt = apis.come()["burt"]
    for url in (
        "http://ntfy.sh/secret-token",
        "https://a:secret-token@ntfy.sh/x",
        "https://x.example/secret-token",
        "",
    ):
        answer = burt.ask("POST", f"{burt.path}/webhook", json={"url": url})
        assert answer.status_code == 422
        assert "secret-token" not in answer.text
    for raw in (b"", b"[", b"[" * 3000, json.dumps([URL]).encode(), b'{"url": null}', b"null"):
        assert burt.ask("POST", f"{burt.path}/webhook", content=raw).status_code == 422
    for _ in range(20):
        burt.ask("DELETE", f"{burt.path}/webhook")
    assert burt.ask("POST", f"{burt.path}/webhook", json={"url": URL}).status_code == 429
    assert apis.client.request("GET", f"{burt.path}/webhook").status_code == 401


def test_a_players_own_that_takes_nothing_is_dropped_and_the_player_hears_of_it(
    apis: Apis, chats: ChatServices
) -> None:
    burt = apis.come()["burt"]
    assert burt.ask("POST", f"{burt.path}/webhook", json={"url": URL}).status_code == 200
    busy(chats, 50)
    play_until_dropped(apis.table)
    assert burt.ask("GET", f"{burt.path}/webhook").json() == {"service": ""}
    apis.table.pump()
    (said,) = answers(apis.table)
    assert said == (
        "ntfy takes nothing from the chat webhook: the server answers 500. It is called no more. To set it again:"
        " in the web app under More, or with pbem webhook . --send"
    )
    assert apis.table.notes("webhook") == [], "it is not the organiser's"


@pytest.fixture
def by_mail(tmp_path: Path, chats: ChatServices) -> Iterator[Table]:
    """A match of friends who have mail alone."""
    table = calling(Table(tmp_path), chats)
    yield table.start()
    table.service.close()


def answers(table: Table) -> list[str]:
    """What Burt was written about his webhook, oldest first."""
    letters = map(parse, table.mail.letters("burt@players.test"))
    about = (letter for letter in letters if "chat webhook" in str(letter["Subject"]))
    return [" ".join(re.split(r"\r?\n\r?\n", str(email.get_content()))[0].split()) for email in about]


def services(table: Table) -> dict[str, str]:
    return table.service.matches.webhook(table.short, None)


SET = "Your turns are announced by your webhook too (ntfy)."
OFF = "Your turns are announced by no webhook of your own any more."
OLD = "Nothing has changed: this file, or a newer one about your webhook, came before."


def test_a_friend_with_mail_alone_sets_his_own_and_ends_it(by_mail: Table, chats: ChatServices) -> None:
    burt, before = by_mail.players["burt"], len(by_mail.lines)
    by_mail.send(burt.mail(burt.channel(URL), "armour"))
    by_mail.pump()
    assert (services(by_mail), answers(by_mail)) == ({"burt": "ntfy"}, [SET])
    assert len(by_mail.lines) == before, "no record holds it"
    assert by_mail.notes("program-fault") == []
    by_mail.play(limit=6)
    assert any(line.startswith("Burt's turn") for line in chats.lines)
    assert not any(line.startswith("Anna's turn") for line in chats.lines)
    by_mail.send(burt.mail(burt.channel("")))
    assert (services(by_mail), answers(by_mail)) == ({}, [SET, OFF])
    heard = len(chats.lines)
    by_mail.play(limit=4)
    assert len(chats.lines) == heard


def test_an_older_file_changes_nothing_whenever_it_comes(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    kept_back, newer = burt.channel(URL), burt.channel(URL)
    by_mail.send(burt.mail(newer))
    by_mail.send(burt.mail(burt.channel("")))
    for replayed in (kept_back, newer):
        by_mail.send(burt.mail(replayed))
        assert services(by_mail) == {}
    assert answers(by_mail) == [SET, OFF, OLD, OLD]
    late = burt.channel(URL)
    by_mail.play(limit=6)  # a newer number of theirs is in the record
    by_mail.send(burt.mail(late))
    assert services(by_mail) == {}


def test_on_and_off_in_one_round_count_in_their_order(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    on, off = burt.mail(burt.channel(URL)), burt.mail(burt.channel(""))
    by_mail.mail.arrive(on)
    by_mail.mail.arrive(off)
    by_mail.pump()
    assert (services(by_mail), answers(by_mail)) == ({}, [SET, OFF])


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
    assert services(by_mail) == {}
    wrong = "The address in your file does not open here. Make another file: pbem webhook."
    assert answers(by_mail) == ([wrong] if forged == "another number" else [])


def file_about(burt: Player, address: str) -> JsonObject:
    """A file that another program has made, which looks at no address."""
    burt.number += 1
    record, own = burt.record, burt.identity
    sealed = seal_channel(record.game, "burt", burt.number, record.ledger.host_seal, address)
    return build_channel(own, record.game, "burt", burt.number, record.head.seen, channel=sealed)


def test_what_is_none_is_refused_by_the_same_rules_and_not_repeated(by_mail: Table) -> None:
    burt = by_mail.players["burt"]
    for url, why in {
        "http://ntfy.sh/secret-token": "this is not the address of a chat webhook.",
        "https://x.example/secret-token": "the address does not say which service it belongs to.",
    }.items():
        by_mail.send(burt.mail(file_about(burt, url)))
        assert answers(by_mail)[-1].startswith(f"Your webhook was not set: {why}")
    assert services(by_mail) == {}
    assert not any(b"secret-token" in raw for _, raw in by_mail.mail.delivered)


def test_the_token_of_a_file_is_in_no_row_no_log_and_no_mail(
    by_mail: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    burt, file = by_mail.players["burt"], by_mail.players["burt"].channel(URL)
    with caplog.at_level(0):
        by_mail.send(burt.mail(file))
        by_mail.play(limit=2)
    assert services(by_mail) == {"burt": "ntfy"}
    out = capfd.readouterr()
    raw = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    mails = json.dumps(file) + "".join(parse(mail).as_string() for _, mail in by_mail.mail.delivered)
    for place in (raw.decode("latin-1"), mails, caplog.text, out.out, out.err):
        assert SECRET not in place
    assert SECRET in open_channel(
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


def test_the_command_seals_the_address_and_a_folder_says_that_it_calls_none(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    before, file = friends.game_file, friends.folder("burt") / "channel.json"
    done = friends.play("burt", "webhook", "-o", file, stdin=f"{URL}\n".encode())
    assert done.code == 0, done.err
    assert friends.send(file).code == 0
    (letter,) = friends.folder("burt").glob("*-webhook*")
    text = str(parse(letter.read_bytes()).get_content())
    assert "This host calls no webhooks." in text
    assert friends.game_file == before
    assert not any(SECRET.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    off = friends.play("burt", "webhook", "--off", "-o", file)
    assert off.code == 0, off.err
    assert friends.play("burt", "webhook", stdin=b"https://chat.example/hooks/x\n").code == 2
    assert friends.play("burt", "webhook", stdin=b"\n").code == 2
    page = json.loads((friends.folder("burt") / "sent" / "book.json").read_text())
    assert len(page) == 4, "join, ready, and two about the webhook"


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_each_service_takes_a_text_and_shows_no_more_than_it_says(
    tmp_path: Path, chats: ChatServices, address: str
) -> None:
    """Whoever is called like a mention, a link or Markdown pings nobody, and nothing of it can be tapped."""
    table = calling(Table(tmp_path, page="https://play.pbem.test/"), chats)
    table.service.matches.webhook(table.short, address)
    table.invite()
    hostile = ("@everyone [win](https://evil.example) @channel @room", "<!here> <b>*evil.com* /start @deputy")
    for player, name in zip(table.players.values(), hostile, strict=True):
        join = compose_join(
            player.record, player.identity, player.seat, name=name, mail=player.address,
            word=table.words[player.seat],
        )  # fmt: skip
        table.send(player.mail(join))
    for player in table.players.values():
        table.send(player.mail(player.ready()))
    assert len(chats.shown) >= 2
    for shown in chats.shown:
        assert (shown.service, shown.pings, shown.links) == (read_webhook(address).service, [], [])
        assert "code" not in shown.text
    turn = chats.lines[-1]
    assert any(turn.replace("\u2060", "").startswith(f"{name}'s turn in Wyatt Earp, by ") for name in hostile)
    table.service.close()


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_the_longest_text_is_within_every_limit(chats: ChatServices, address: str) -> None:
    webhook = read_webhook(address)
    url, body = request_to(webhook, "*" * 5000, "https://play.pbem.test/")
    answer = chats.post(url, {"Content-Type": "application/json"}, json.dumps(body).encode())
    assert 200 <= answer.status < 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "http://discord.com/api/webhooks/1/x",
        "ntfys://topic",
        "https://discord.com/channels/1/2",
        "https://discord.com.evil.example/api/webhooks/1/x#discord.com",
        "https://user:secret@ntfy.sh/topic",
        "https://ntfy.sh/",
        "https://ntfy.sh/a/b",
        "https://ntfy.sh:nothing/topic",
        "https://api.telegram.org/bot1:x/sendMessage",
        "https://api.telegram.org/bot1:x/logOut?chat_id=1",
        "https://hooks.slack.com/workflows/T/B",
        "slack+https://evil.example/services/T/B",
        "mattermost+https://ntfy.sh/hooks/x",
        "mattermost+https://chat.example/plugins/x",
        "matrix+https://[::1/x",
        "matrix+https:///x",
        "matrix+https://bridge.example/x y",
        "matrix+https://bridge.example/x\r\nHost: y",
        "matrix+https://brücke.example/x",
        "pager+https://chat.example/x",
        "matrix+https://bridge.example/" + "x" * 1000,
    ],
)
def test_what_is_no_address_of_a_webhook_is_not_repeated(text: str) -> None:
    with pytest.raises(UsageProblem) as fault:
        read_webhook(text)
    assert not text or text not in f"{fault.value} {fault.value.hint}"


def test_where_the_name_does_not_say_whose_it_is_that_is_asked() -> None:
    for service in ("mattermost", "matrix", "ntfy"):
        with pytest.raises(UnknownService) as fault:
            read_webhook("https://chat.example/hooks")
        assert service in str(fault.value.hint)
    assert read_webhook(" ntfy+https://chat.example:8443/topic ").service == "ntfy"
    assert read_webhook("https://ntfy.sh/topic") == ("https://ntfy.sh/topic", "ntfy", "https://ntfy.sh/topic")


def test_a_name_is_shown_as_it_is() -> None:
    for name in ("Zoë O'Hara-Łoś", "Anna (2nd)", "大谷"):
        assert inactive(name) == name
    for name in ("@here", "a.example", "https://x", "<@1>", "#general", "/stop", "$GME"):
        assert inactive(name).replace("\u2060", "") == name != inactive(name)


def rekeyed(player: Player) -> JsonObject:
    """A file that puts new keys into the place of the seat's."""
    new, old = Identity(secret(f"{player.seat} another")), player.identity.sign_key
    player.number += 1
    file = compose_rekey(player.record, Seat(player.seat), player.number, old, new)
    player.identity = new
    return file


def test_what_was_set_by_keys_that_are_another_ones_now_goes_and_the_seat_hears_of_it(apis: Apis) -> None:
    burt, table = apis.come()["burt"], apis.table
    table.send(burt.player.mail(burt.player.ready()))  # for the next deal, before new keys
    for change in (
        lambda: table.service.matches.access_code(table.short, "burt", new=True),
        lambda: table.send(table.players["burt"].mail(rekeyed(table.players["burt"]))),
    ):
        assert burt.ask("POST", f"{burt.path}/webhook", json={"url": URL}).status_code == 200
        before = len(answers(table))
        change()
        table.pump()
        assert services(table) == {}
        assert burt.ask("GET", f"{burt.path}/webhook").status_code == 401, "the old access code is dead"
        (said,) = answers(table)[before:]
        assert said.startswith("Your seat has other keys, or another link or access code.")
        burt = apis.come()["burt"]


PRIVATE = (
    *("127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0"),  # noqa: S104
    *("192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1%eth0", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "ff0e::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "::127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::e000:1", "64:ff9b:1::1", "64:ff9b:1:a::8.8.8.8"),
    *("2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1", "2001::1", "2001:0:808:808::1", "2001:10::1"),
    *("2001:db8::1", "3fff::1", "100::1", "100:0:0:1::1", "5f00::1", "4000::1"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_known_in_every_spelling(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_a_public_address_is_one(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", ["localhost", "[::1]", "169.254.169.254", "127.0.0.1", "[64:ff9b::7f00:1]"])
def test_nothing_inside_the_network_is_called(host: str) -> None:
    with pytest.raises(StoreError, match="no public address"):
        PublicPost()(f"https://{host}:1/x", {}, b"")


def test_a_certificate_of_another_name_a_redirect_and_silence_are_no_answer(chats: ChatServices) -> None:
    """A redirect is an answer that is not followed."""
    with pytest.raises(StoreError, match="does not answer"):
        PublicPost((chats.name,))(f"https://{chats.name}/x", {}, b"")
    chats.answers.append((302, {"Location": f"https://{chats.name}/y"}, b""))
    meant = {"X-Meant-For": "ntfy.sh", "Content-Type": "application/json"}
    assert PublicPost((chats.name,), chats.trusting)(f"https://{chats.name}/x", meant, b"{}").status == 302
    assert chats.asked == 1


@pytest.mark.parametrize("dripping", ["a handshake", "a header", "a body"])
def test_an_answer_that_drips_takes_no_longer_than_one_that_comes(dripping: str) -> None:
    """A server that sends a byte now and then keeps the host for the time of one answer."""
    authority, listening, ended = trustme.CA(), socket.create_server(("127.0.0.1", 0)), threading.Event()
    trusting, serving = ssl.create_default_context(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.configure_trust(trusting)
    authority.issue_cert("127.0.0.1").configure_cert(serving)
    beginning = {"a header": b"HTTP/1.1 200 OK\r\n", "a body": b"HTTP/1.1 200 OK\r\n\r\n"}

    def serve() -> None:
        plain, _ = listening.accept()
        with plain:
            if dripping == "a handshake":
                ended.wait(PATIENCE)
                return
            with serving.wrap_socket(plain, server_side=True) as talking:
                talking.recv(4096)
                talking.sendall(beginning[dripping])
                with suppress(OSError):
                    while not ended.wait(0.05):
                        talking.sendall(b"x")

    thread = threading.Thread(target=serve)
    thread.start()
    name = f"127.0.0.1:{listening.getsockname()[1]}"
    begun = time.monotonic()
    try:
        with suppress(StoreError):
            answer = PublicPost((name,), trusting, seconds=0.5)(f"https://{name}/x", {}, b"{}")
            assert (dripping == "a handshake", answer.status) == (False, 200), "its status had come"
        assert time.monotonic() - begun < PATIENCE
    finally:
        ended.set()
        thread.join()
        listening.close()
