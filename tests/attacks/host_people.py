"""A host who shows different people different things, or nothing at all; and what they can pass on secretly."""

from __future__ import annotations

from pbem.game import JsonObject, Seat
from pbem.player.letters.compose import compose
from pbem.player.letters.letter import Kind, Link
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import lay
from pbem.protocol.formats.messages import build_reject, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.referee import Accepted, extend, receive
from tests.attacks.attack import ANYBODY, CLOSE, COPIES, NOBODY, OWNER, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Forge
from tests.world import secret


def _asked(stage: Stage) -> tuple[Record, Seat] | None:
    """A moment in the first epoch at which a seat is asked, and has its whole turn before it."""
    for record in stage.past:
        waiting = record.waiting
        if waiting is not None and record.ledger.due is not None and len(record.lines) > 12:
            return record, Seat(waiting["seat"])
    return None


# --- two histories ----------------------------------------------------------------------------------------------


@attack("host", "tells two players two histories", COPIES)
def _forked(stage: Stage) -> Aftermath | None:
    moment = _asked(stage)
    if moment is None:
        return None
    record, seat = moment
    first, other = stage.branch(record), stage.branch(record)
    first.move()
    due = record.ledger.due or ""
    other.take(extend(record, stage.host, seat, max(due, other.later(240)), other.now))
    return Aftermath(first.lines, upto=len(first.lines), others=other.lines)


@attack("host", "drops a turn that was confirmed", COPIES)
def _dropped(stage: Stage) -> Aftermath | None:
    """The receipt is their own line: it contradicts the file in which a default stands instead."""
    moment = _asked(stage)
    if moment is None:
        return None
    record, seat = moment
    kept = stage.branch(record)
    kept.move()
    branch = stage.branch(record)
    branch.silence(seat)
    return Aftermath(branch.lines, upto=len(branch.lines), since=len(branch.lines), others=kept.lines)


@attack(
    "host", "shows one player a false player list", COPIES, words="Compare fingerprints before you are ready."
)
def _false_roster(stage: Stage) -> Aftermath | None:
    """Anna is shown a match in which the host holds Burt's keys; Burt is shown one in which he holds Anna's."""
    first, other = _with_puppet(stage, 1), _with_puppet(stage, 0)
    return Aftermath(first.lines, upto=len(first.lines), others=other.lines, stage=first)


def _with_puppet(stage: Stage, puppet: int) -> Stage:
    other = stage.another("puppets")
    seat = Seat(stage.seats[puppet])
    other.people[seat] = Identity(secret(f"the host's puppet {seat}"))
    for each in map(Seat, other.seats):
        other.send(other.join_file(each))
    return other


@attack("host or stranger", "joins in another's name", OWNER)
def _joined_as(stage: Stage) -> Aftermath | None:
    other = _with_puppet(stage, 1)
    true = stage.another("puppets").people
    return Aftermath(other.lines, upto=len(other.lines), since=len(other.lines), stage=other, people=true)


# --- silence and refusals ---------------------------------------------------------------------------------------


@attack(
    "host",
    "says that a turn never came",
    OWNER,
    words="Only its sender knows. Email your turns to everybody too, and they know as well.",
)
def _never_came(stage: Stage) -> Aftermath | None:
    moment = _asked(stage)
    if moment is None:
        return None
    record, _ = moment
    player = stage.branch(record)
    file = player.next_file()
    if file is None:
        return None
    branch = stage.branch(record)
    branch.silence(moment[1])
    return Aftermath(branch.lines, upto=len(branch.lines), since=len(branch.lines), unanswered=(file,))


def _rejected(stage: Stage, code: str, *, sealed: bool = False) -> Aftermath | None:
    """The host refuses a good file with this code, signs that, and the player sends another one."""
    for record in stage.past:
        if record.waiting is None or len(record.lines) < 12:
            continue
        player = stage.branch(record)
        file = player.next_file()
        if file is None or not isinstance(player.judge(file), Accepted):
            continue
        if sealed and not _has_sealed(player, file):
            continue
        stage.copies += [copy for copy in player.copies if copy not in stage.copies]
        head = record.head.reference
        rules: JsonObject = {"action": 0, "rules": ["D4"]} if code == "illegal" else {}
        reject = build_reject(stage.host, message_of(file), code=code, head=head, at=player.now, **rules)
        again = stage.branch(record)
        again.numbers = dict(player.numbers)
        again.play_until("close")
        return Aftermath(
            again.lines, upto=len(record.lines), since=len(record.lines), refusals=((file, reject),)
        )
    return None


def _has_sealed(stage: Stage, file: JsonObject) -> bool:
    n = file["body"]["n"]
    return any(copy.part == "sealed" and copy.n == n and copy.content for copy in stage.copies)


@attack("host", "refuses a legal turn, to see a second one", OWNER, CLOSE)
def _refused_legal(stage: Stage) -> Aftermath | None:
    return _rejected(stage, "illegal") if stage.record.rules.has_secrets else None


@attack("host", "refuses a fresh turn as stale", ANYBODY)
def _refused_stale(stage: Stage) -> Aftermath | None:
    return _rejected(stage, "stale")


@attack("host", "refuses a turn of the very player who is asked to move", ANYBODY)
def _refused_order(stage: Stage) -> Aftermath | None:
    return _rejected(stage, "not-your-turn")


@attack(
    "host",
    "says that a sealed part does not open",
    OWNER,
    words="Only its sender knows what they sealed. Send the same actions again, open and one by one.",
)
def _does_not_open(stage: Stage) -> Aftermath | None:
    return _rejected(stage, "bad-seal", sealed=True)


@attack("host", "refuses a turn and records it too", ANYBODY)
def _both(stage: Stage) -> Aftermath | None:
    scene = _rejected(stage, "illegal")
    if scene is None:
        return None
    file, reject = scene.refusals[0]
    record = next(r for r in stage.past if len(r.lines) == scene.upto)
    ruling = receive(record, stage.host, canon(file), reject["body"]["at"])
    if not isinstance(ruling, Accepted):
        return None
    lines = [line.raw for line in ruling.record.lines]
    head = ruling.record.head
    words = build_reject(
        stage.host,
        message_of(file),
        code="illegal",
        head=head.reference,
        at=max(head.at, reject["body"]["at"]),
        action=0,
        rules=["D4"],
    )
    return Aftermath(lines, upto=len(lines), since=len(lines), refusals=((file, words),))


# --- what nobody can notice ---------------------------------------------------------------------------------------


@attack(
    "host",
    "links to their own web app in their emails",
    NOBODY,
    words="Such a web app would get your keys. Open yours by an address that you know from the release,"
    " never by a link in an email.",
)
def _linked(stage: Stage) -> Aftermath | None:
    """The email differs from an honest one in nothing but the page; no file of the match shows it."""
    record, game = stage.record, b64(stage.record.game)
    seat, head = record.seats[0], record.head.seq
    letters = [
        compose(
            record,
            seat,
            head,
            head - 1,
            Kind.NOTICE,
            link=Link(page, "https://games.example", game, seat, "word"),
        )
        for page in ("https://page.example/", "https://page.examp1e/")
    ]
    honest, false = (letter.text for letter in letters)
    if honest == false or honest != false.replace("page.examp1e", "page.example"):
        return None
    return Aftermath(stage.lines)


@attack(
    "host",
    "whispers the cards to come to a friend",
    NOBODY,
    words="The host deals, so they know every hand and the deck. Choose a host who has no friend at the table.",
)
def _whispered(stage: Stage) -> Aftermath | None:
    """They read the next card off their own seed; it is the one that is then drawn. No byte of the file shows it."""
    record = stage.record
    for line in record.lines:
        shown = [e for s in line.body.get("steps", ()) for e in s["chance"] if e.get("to") == "table"]
        if not shown or shown[0]["gen"]:
            continue
        entry, epoch = shown[0], line.body["epoch"]
        full = record.game_info.decks[entry["draw"]]
        laid = lay(Forge(stage).seed(epoch), record.game, epoch, entry["draw"], 0, full)
        generation = record.ledger.epochs[epoch].decks[entry["draw"]][0]
        place = (generation.cut or ())[entry["k"]]
        foreseen = full[laid.order[place]]
        lines = stage.lines[: line.seq + 1]
        return Aftermath(lines, upto=len(lines), since=len(lines)) if foreseen == entry["card"] else None
    return None


@attack("players", "tell each other their hands", NOBODY, words="Two friends at a table always can.")
def _hands_compared(stage: Stage) -> Aftermath | None:
    if not stage.record.rules.has_secrets:
        return None
    record = stage.moment(lambda r: r.waiting is not None)
    if record is None:
        return None
    branch = stage.branch(record)
    hands = [branch.view(Seat(seat)).view_json for seat in stage.seats[:2]]
    lines = branch.lines
    return Aftermath(lines, upto=len(lines), since=len(lines)) if hands[0] != hands[1] else None


@attack(
    "host", "plays too, under an invented name", NOBODY, words="Know who your fellow players are: phone them."
)
def _invented_player(stage: Stage) -> Aftermath | None:
    other = _with_puppet(stage, -1)
    for seat in map(Seat, other.seats):
        other.send(other.ready_file(seat))
    other.move()
    return Aftermath(other.lines, upto=len(other.lines), since=len(other.lines), stage=other)


@attack(
    "host",
    "stops answering",
    NOBODY,
    words="Everybody sees the silence, nobody can prove whose it is. Any copy lets the match go on: pbem host recover.",
)
def _stopped(stage: Stage) -> Aftermath | None:
    lines = stage.lines[:-3]
    return Aftermath(lines, upto=len(lines), since=len(lines))


@attack(
    "host",
    "dates a record freely",
    NOBODY,
    words="Nobody can check the host's clock, within the deadlines.",
)
def _dated(stage: Stage) -> Aftermath | None:
    moment = _asked(stage)
    if moment is None:
        return None
    record, _ = moment
    late = stage.branch(record)
    late.now = late.later(5)
    late.move()
    return Aftermath(late.lines, upto=len(late.lines), since=len(record.lines))


@attack(
    "host",
    "orders what came at the same time as it suits them",
    NOBODY,
    words="If a turn and another player's new orders arrive together, either may come first. The host knows all hands.",
)
def _sorted(stage: Stage) -> Aftermath | None:
    """The first seat withdraws its orders while somebody's turn is under way to which they would answer."""
    orderer = Seat(stage.seats[0])
    for record in stage.past:
        if record.waiting is None or record.waiting["seat"] == orderer or orderer not in record.ledger.orders:
            continue
        players = stage.branch(record)
        turn = players.next_file()
        players.orders.clear()
        withdrawn = players.turn_file(orderer)
        if turn is None:
            continue
        if not _answered(_in_order(stage, record, turn, withdrawn), orderer):
            continue
        other = _in_order(stage, record, withdrawn, turn)
        if not _answered(other, orderer):
            return Aftermath(other.lines, upto=len(other.lines), since=len(record.lines))
    return None


def _in_order(stage: Stage, record: Record, *files: JsonObject) -> Stage:
    branch = stage.branch(record)
    branch.past = []
    for file in files:
        branch.send(file)
    return branch


def _answered(stage: Stage, seat: Seat) -> bool:
    """Whether an order of this seat answered in what was recorded, both files taken."""
    steps = [step for record in stage.past for step in record.head.body.get("steps", ())]
    answers = [step["by"] == "order" and step["seat"] == seat for step in steps]
    return len(stage.past) == len(("the turn", "the orders")) and any(answers)
