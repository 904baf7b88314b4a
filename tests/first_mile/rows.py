"""Each thing that newcomers met, with the command that showed it and what it prints now.

A row makes what it shows on a ``Stage`` and says which words must be there and which must not; both are looked at
whenever the row is made. ``slow`` rows need terminals, a browser or processes of their own: only the page has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tests.first_mile import looks
from tests.first_mile.stage import HOST, Shown, Stage, letter, saved
from tests.service.table import Table
from tests.service.test_answers import forwarded

INVITATION = "000000-anna-invitation.eml"


@dataclass(frozen=True)
class Row:
    """One row: what was met, and how it is shown now."""

    number: int
    met: str
    makes: Callable[[Stage], Iterator[Shown]]
    holds: tuple[str, ...]
    never: tuple[str, ...] = ()
    slow: bool = False

    def show(self, stage: Stage) -> list[Shown]:
        """What it shows; an assertion fails if words are missing."""
        shown = list(self.makes(stage))
        text = " ".join(" ".join(f"{entry.typed} {entry.printed}" for entry in shown).split())
        for words in self.holds:
            assert words in text, f"row {self.number}: {words!r} is missing in\n{text}"
        for words in self.never:
            assert words not in text, f"row {self.number}: {words!r} stands in\n{text}"
        return shown


# --- the first mile -----------------------------------------------------------------------------------------


def _windows(stage: Stage) -> Iterator[Shown]:
    friends = stage.playing
    yield stage.elsewhere("windows", friends.folder("anna"), "pbem id show", "pbem show .").first(24)


def _install(stage: Stage) -> Iterator[Shown]:
    yield stage.types(stage.invited, "anna", "pbem --help").first(4)
    (stage.root / "nowhere").mkdir()
    yield stage.types(stage.invited, "host", "pbem")
    yield letter(saved(stage.invited.folder("anna"), "*invitation.eml"), "(the invitation)", lines=58)


def _addresses(stage: Stage) -> Iterator[Shown]:
    typed = (
        f"pbem host new other --game wyatt-earp --seats anna,burt --mail {HOST} --title Saturday"
        " --to anna=anna@example.org --to burt=burt@example.org"
    )
    shown = stage.types(stage.invited, "host", typed)
    yield shown
    other = stage.invited.root / "host" / "other" / "outbox"
    yield letter(saved(other, "*anna*.eml"), "(the letter that it writes)", lines=1)
    yield stage.types(stage.invited, "anna", f"pbem join {INVITATION} --mail anna")


def _quickly(stage: Stage) -> Iterator[Shown]:
    yield from looks.processor(stage)


def _linked(stage: Stage) -> Iterator[Shown]:
    folder = stage.root / "api"
    folder.mkdir()
    table = Table(folder, api="https://games.example.org/api").invite()
    shown = letter(table.players["anna"].letters[-1], "(an invitation of a host with an HTTP API)")
    yield shown.only("#join=", "[Bb]rowser")


def _in_advance(stage: Stage) -> Iterator[Shown]:
    seat = stage.seat()
    yield stage.types(stage.playing, seat, "pbem legal .")


# --- did I move yet? ----------------------------------------------------------------------------------------


def _signed_before(stage: Stage) -> Iterator[Shown]:
    seat = stage.seat()
    yield stage.types(stage.playing, seat, "pbem turn . draw supply -o first.json")
    yield stage.types(stage.playing, seat, "pbem turn . draw discard -o second.json")
    yield stage.types(stage.playing, seat, "pbem legal .")
    yield stage.types(stage.playing, seat, "pbem")


def _empty(stage: Stage) -> Iterator[Shown]:
    yield stage.types(stage.playing, stage.seat(), "pbem turn .")


def _stale(stage: Stage) -> Iterator[Shown]:
    friends, seat = stage.playing, stage.seat()
    other = next(other for other in friends.seats if other != seat)
    friends.send(friends.folder(seat) / "first.json")
    friends.host("advance", friends.sign(seat, "turn", _move(stage, seat)))  # its email is not saved
    yield stage.types(friends, other, "pbem turn . draw supply")
    saved_later = friends.folder(other) / "later.jsonl"
    saved_later.write_bytes(friends.game_file.splitlines(keepends=True)[-1])
    yield stage.types(friends, other, "pbem show .").only(
        "has a gap", "save the emails", "send the host an email"
    )
    saved_later.unlink()
    friends.deliver()


def _move(stage: Stage, seat: str) -> str:
    """Something that the seat may do."""
    legal = stage.playing.play(seat, "legal", "--json").json["legal"]
    return str(
        next(action["words"] for action in reversed(legal) if action["action"]["do"] in ("draw", "discard"))
    )


def _not_saved(stage: Stage) -> Iterator[Shown]:
    friends = stage.invited
    yield stage.types(friends, "anna", f"pbem join {INVITATION} -o join.json")
    yield stage.types(friends, "anna", "pbem show .")


def _joined_twice(stage: Stage) -> Iterator[Shown]:
    friends = stage.invited
    yield stage.types(
        friends, "anna", f"pbem join {INVITATION} --lang de --mail anna@example.net --name Anne"
    )
    friends.send(friends.folder("anna") / "join.json")
    yield stage.types(friends, "anna", "pbem")
    yield stage.types(friends, "anna", f"pbem join {INVITATION} --name Anne")


def _ready_twice(stage: Stage) -> Iterator[Shown]:
    friends = stage.invited
    burt = friends.folder("burt")
    stage.types(friends, "burt", "pbem join 000000-burt-invitation.eml -o join.json")
    friends.send(burt / "join.json")
    yield stage.types(friends, "anna", "pbem ready . -o ready.json").only("signed")
    yield stage.types(friends, "anna", "pbem ready . -o again.json")
    friends.send(friends.folder("anna") / "ready.json")
    yield stage.types(friends, "anna", "pbem ready . -o again.json")


# --- emails ------------------------------------------------------------------------------------------------


def _be_ready(stage: Stage) -> Iterator[Shown]:
    joined = stage.served.players["anna"].letters
    raw = next(raw for raw in joined if b"Press Ready" in raw.replace(b"\r\n ", b" "))
    yield letter(raw, "(the letter to Anna)", lines=18)


def _reminders(stage: Stage) -> Iterator[Shown]:
    table = stage.begun
    seen = len(table.players["anna"].letters)
    table.pass_time(73)
    for raw in table.players["anna"].letters[seen:]:
        yield letter(raw, "(a reminder)", lines=15)


def _defaulted(stage: Stage) -> Iterator[Shown]:
    table = stage.begun
    seen = len(table.players["anna"].letters)
    table.pass_time(24)
    yield letter(table.players["anna"].letters[seen], "(the letter to Anna, 24 hours later)", lines=18)


def _due(stage: Stage) -> Iterator[Shown]:
    anna = stage.begun.players["anna"].letters
    raw = next(raw for raw in anna if b"\r\nSubject: Your turn: draw, by " in raw)
    yield letter(raw, "(a letter to Anna, who reads the clock in Berlin)").only("Answer by")
    yield letter(
        saved(stage.invited.folder("anna"), "*invitation.eml"), "(the invitation)"
    ).only("^Time ", "default may", "^Days and")  # fmt: skip


def _never_silent(stage: Stage) -> Iterator[Shown]:
    table = stage.begun
    anna, burt = table.players["anna"], table.players["burt"]
    mover = burt if burt.asked else anna
    table.send(forwarded(mover, mover.mail(mover.move()), "part"))
    yield letter(mover.letters[-1], "(a turn, forwarded as message/rfc822)", lines=6)
    for typed, text, subject in (
        ("(free text)", "Dear host, my computer broke.", ""),
        ("(STAUTS)", "STAUTS", ""),
        ("(HELP in the subject, nothing else)", "", "HELP"),
    ):
        table.send(anna.write(text + "\n", subject=subject))
        yield letter(anna.letters[-1], typed, lines=8)


def _refusals(stage: Stage) -> Iterator[Shown]:
    table = stage.begun
    burt = table.players["burt"]
    table.send(burt.write("\n"))
    yield letter(burt.letters[-1], "(an empty mail of Burt, who reads French)", lines=10)
    player = next(player for player in table.players.values() if not player.asked)
    table.send(player.mail(player.turn({"do": "draw", "from": "supply"})))
    yield letter(player.letters[-1], "(a turn out of turn)", lines=10)


def _short(stage: Stage) -> Iterator[Shown]:
    yield from looks.heights(stage)


def _pictured(stage: Stage) -> Iterator[Shown]:
    yield from looks.pictures(stage)


def _result_first(stage: Stage) -> Iterator[Shown]:
    yield from looks.report(stage)


def _typed(stage: Stage) -> Iterator[Shown]:
    invitation = stage.served.players["anna"].letters[0]
    yield letter(invitation, "(the line with the one-time word)").only("--word")
    friends, seat = stage.playing, stage.seat()
    if "draw supply" in _words(stage, seat):
        yield stage.types(friends, seat, "pbem turn . Draw Supply -o typed.json")
        friends.send(friends.folder(seat) / "typed.json")
    card = next(words for words in _words(stage, seat) if words.startswith("discard "))
    yield stage.types(friends, seat, f"pbem turn . {card.replace('-', ' ').title()} -o capitals.json")
    yield from looks.narrow(stage)


def _words(stage: Stage, seat: str) -> list[str]:
    return [action["words"] for action in stage.playing.play(seat, "legal", "--json").json["legal"]]


ROWS: Final = (
    Row(1, "`id show`, `show` die on Windows: no module `fcntl`", _windows, ("Outlaw", "Poster"), ("Traceback",),
        slow=True),
    Row(2, "nowhere how to install it, who invites, to what", _install,
        ("uv tool install .", "pipx install .", "pip install .", "Saturday", "pbem join", "pbem play",
         "72 hours", "Europe/Berlin", "invites you to play")),
    Row(3, "`From: host@pbem.invalid`; any text is taken for an address", _addresses,
        ("To: anna@example.org", f"Reply-To: {HOST}", "'anna' is not an email address"), ("pbem.invalid",)),
    Row(4, "the passphrase asked by every command; a wrong one ends `play`", looks.unlocking,
        ("that is not the passphrase of anna", "Your turn to"), slow=True),
    Row(5, "half a second of processor and more for everything", _quickly, ("pbem show .",), slow=True),
    Row(6, "nothing for a phone or webmail; no letter has a link", _linked, ("#join=",)),
    Row(7, "standing orders save two of three files, and are hidden", _in_advance, ("--then",)),
    Row(8, "a draw signed before is offered again without a word", _signed_before,
        ("You signed this on", "draw supply. It was written to", "No answer yet.", "Nothing was signed now")),
    Row(9, "`pbem turn` without an action signs", _empty, ("there is nothing in this turn",)),
    Row(10, "stale copy: \"it is not your turn\"; a gap: \"the match waits for nobody\"", _stale,
        ("Your copy is from ", "is there a newer email?", "your copy has a gap", "RESEND")),
    Row(11, "receipt not saved: \"no identity is a player of this match\"", _not_saved,
        ("your copy ends before your join", "Save the host's newest email in")),
    Row(12, "a second join says yes and writes the first file again", _joined_twice,
        ("Du hast dies unterschrieben", "Jetzt wurde nichts unterschrieben",
         "you have joined already")),
    Row(13, "a second ready: \"bad-link … epoch 1\"", _ready_twice,
        ("you have pressed Ready for deal 1", "you were ready already; nothing to do", "The match waits for Burt")),
    Row(14, "\"please be ready\", and in the box \"Nobody has to act\"", _be_ready,
        ("Press Ready, by Tue 19:00", "the match starts when everyone is ready"), ("Nobody has to act",)),
    Row(15, "both reminders: same subject, same text", _reminders,
        ("24 hours left: draw, by Tue 19:00 CET", "Time is up: draw", "24 hours left Your turn to draw",
         "Time is up Your turn to draw")),
    Row(16, "defaulted: \"a turn is over\", his default last of ten entries", _defaulted,
        ("A timeout move was made for you", "This was played for you:")),
    Row(17, "\"Due: 2026-11-29 23:00 UTC\"", _due,
        ("Answer by Tuesday 24 November, 19:00 (Europe/Berlin) (72 hours", "every day (Europe/Berlin)"), ("Due:",)),
    Row(18, "forwarded turn, free text, a misspelt word, HELP in the subject: nothing comes", _never_silent,
        ("Ton tour est accepté (1 coup)", "passed on to the host", "Did you mean STATUS?", "Subject: Help")),
    Row(19, "\"not taken: nothing\", \"pas pris : nothing\"", _refusals,
        ("Pas pris : ton e-mail ne contient aucun fichier signé", "Refused: ", "was refused, and nothing has changed"),
        (": nothing\n", "pas pris : nothing", "Pas pris : nothing")),
    Row(20, "2,800 to 3,700 pixels on a phone", _short, ("pixels",), slow=True),
    Row(21, "pictures of 1,200 pixels shown at 364", _pictured, ("pixels",), slow=True),
    Row(22, "the result stands 2,413 pixels down", _result_first, ("pixels",), slow=True),
    Row(23, "a word broken over two lines; capitals refused; cut at 60 × 20", _typed,
        ("--word", "in capitals.json; send it", "q quit", "Your hand (9, + new)",
         "Waiting for Burt to place a cowboy"),
        ("ctrl+q", "is to setup")),
)  # fmt: skip
