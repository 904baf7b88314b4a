"""The two judges: that they mean the same, what the slow one refuses beside, and what a refusal may cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from pbem.base.shapes import explain
from pbem.base.shapes.compiled import Compiled, UnknownKeyword, ecma
from pbem.base.shapes.schema import Form, LibraryJudge, form, load
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import seal_part
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.messages import build_turn
from pbem.protocol.formats.strict_json import canon
from tests.formats.examples import MESSAGES, RECORDS
from tests.fuzz.cost import steps
from tests.patience import PATIENCE
from tests.shapes import corpus
from tests.world import World


def test_a_hundredth_of_the_corpus_is_judged_alike_by_three() -> None:
    assert len(corpus.forms()) > 30
    assert len(corpus.chosen(100)) > 300
    assert corpus.of_forms(100) == []


def test_files_with_one_odd_text_are_judged_alike() -> None:
    assert corpus.of_files(100) == []


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("^a$", "a\n", False),
        ("^a$", "a", True),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        ("^.$", "\r", False),
        ("^.$", "\u2028", False),
        ("^.$", "\x85", True),
        (r"^\S$", "\ufeff", False),
        (r"^\S$", "\x1c", True),
        (r"^\s$", "\u00a0", True),
        ("^[$.]$", ".", True),
        ("^[$.]$", "x", False),
        (r"^[a\]\\-]$", "]", True),
        (r"^\$$", "$", True),
    ],
)
def test_a_pattern_means_what_ecma_262_says(pattern: str, text: str, fits: bool) -> None:
    assert (ecma(pattern).search(text) is not None) is fits


@pytest.mark.parametrize("pattern", [r"\bword", r"(?<name>a)", r"(?i)a", r"[\d]", r"(a)\1", r"\p{L}"])
def test_a_construct_that_differs_and_is_not_used_is_refused(pattern: str) -> None:
    with pytest.raises(UnknownKeyword):
        ecma(pattern)


def test_plain_jsonschema_takes_a_last_line_feed_and_ours_does_not() -> None:
    schema: JsonObject = {"type": "string", "pattern": "^[a-z]+$"}
    assert re.search(schema["pattern"], "anna\n")
    assert not LibraryJudge(schema).accepts(schema, "anna\n")


def test_no_reference_is_followed_out_of_a_schema_and_what_the_library_raises_is_a_no() -> None:
    for schema in ({"$ref": "https://pbem.test/other.json"}, {"$ref": "#/$defs/none"}, {"type": "no-type"}):
        judge = LibraryJudge(schema)
        assert not judge.accepts(judge.document, {})


def test_limits_are_looked_at_before_what_lies_inside() -> None:
    """So that a list of too many entries is not read through: three thousand days in an invitation."""
    judge = LibraryJudge({"type": "array", "items": {"$ref": "#/$defs/none"}, "maxItems": 1, "$defs": {}})
    assert list(judge.document)[:2] == ["type", "maxItems"]
    assert "items" in judge.document


def _days(count: int) -> JsonObject:
    invite = json.loads(json.dumps(RECORDS["genesis"]))
    invite["body"]["deadlines"]["days"] = [f"day-{number}" for number in range(count)]
    return dict(invite)


def test_three_thousand_distinct_days_in_an_invitation_cost_little_and_are_explained() -> None:
    raw = json.dumps(_days(3000)).encode()
    assert steps(lambda raw: form("invite").fault(json.loads(raw)), raw) < 2 * len(raw)
    fault = form("invite").fault(json.loads(raw))
    assert fault is not None
    assert "body" in fault.names


def test_after_so_many_parts_the_place_that_was_reached_is_named() -> None:
    schema: JsonObject = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    value: Json = [[[0] * 9] * 9, *[[number] for number in range(2 * explain.MOST_PARTS)], ["x"]]
    assert Form(schema).faults(value)[0].path == (0, 0)
    late: Json = [*[[number] for number in range(2 * explain.MOST_PARTS)], ["x"]]
    fault = Form(schema).fault(late)
    assert fault is not None
    assert str(fault.sentence) == f"not as expected somewhere in a list of {len(late)}"
    assert len(Form(schema).faults(late)) == 1


@pytest.mark.parametrize("kind", MESSAGES)
def test_both_judges_give_the_same_sentence(kind: str) -> None:
    """What a person reads in the page, which has the fast judge only, and in a terminal."""
    said = []
    for number, changed in enumerate(corpus._changed(MESSAGES[kind])):
        if number % 40 == 0:
            slow, fast = (Form(load(kind)).fault(changed, bulk=bulk) for bulk in (False, True))
            assert (slow and slow.describe()) == (fast and fast.describe())
            said.append(slow)
    assert any(said)


_WEST: Final = """
from pbem.game import Seat, Setup
from pbem.games import find_game
game, seats = find_game("way-out-west"), tuple(map(Seat, ("anna", "burt", "curt")))
options = {name: values[0] for name, values in game.info.options.items()}
new = seats, options, game.default_extra(seats), max(game.info.versions)
rules = game.rules(Setup(*new, recorded=True))
"""
_ACTION: Final = {"do": "build", "asset": "bank", "town": "abilene"}
HANDED_IN: Final = {
    "a message": "from pbem.protocol.formats.messages import read_message as read",
    "settings": "from pbem.protocol.record.deadlines import Deadlines\nread = lambda _: Deadlines().check()",
    "options": f"{_WEST}read = lambda _: game.resolve_options('default', {{}})",
    "a board": f"{_WEST}read = lambda _: game.check_setup(game.default_extra(seats))",
    "the board of a new match": f"{_WEST}read = lambda _: game.rules(Setup(*new))",
    "a position": f"{_WEST}read = lambda _: rules.position_from_json({{}})",
    "an action": f"{_WEST}read = lambda _: rules.action_from_json({_ACTION})",
    "an order": f"{_WEST}read = lambda _: rules.check_order({{'rules': []}})",
    "an identity": "from pbem.player.seat import inspect_file\nread = lambda _: inspect_file(raw)",
    "an identity to begin something with": (
        "from pathlib import Path\nfrom pbem.cli import which\n"
        "path = Path(sys.argv[1], 'anna.json')\npath.write_bytes(raw)\n"
        "read = lambda _: which.identity_called(str(path), None)"
    ),
    "a scenario": "from pbem.protocol.scenario import run_scenario\nread = lambda _: run_scenario({})",
}
OF_A_RECORD: Final = {
    "a record": (
        "from pbem.protocol.record.line import check_form\nread = lambda raw: check_form(json.loads(raw))"
    ),
    "a position in a record": f"{_WEST}read = lambda _: rules.public_from_json({{}})",
    "an action in a record": f"{_WEST}read = lambda _: rules.action_from_json({_ACTION}, bulk=True)",
    "an order in a record": f"{_WEST}read = lambda _: rules.check_order({{'rules': []}}, bulk=True)",
    "her own identity": "from pbem.protocol.formats.identity_file import read_header as read",
}


@pytest.mark.parametrize("subject", [*HANDED_IN, *OF_A_RECORD])
def test_what_people_hand_in_is_judged_by_jsonschema_and_records_are_not(
    subject: str, tmp_path: Path
) -> None:
    imported = subject in HANDED_IN
    program = HANDED_IN[subject] if imported else OF_A_RECORD[subject]
    raw = json.dumps((MESSAGES if imported else RECORDS)["turn"]).encode()
    if "identity" in subject:
        raw = write_identity(Identity(bytes(32)), "Anna", "", bytes(16))
    code = f"import json, sys\nraw = sys.stdin.buffer.read()\n{program}\nread(raw)\nprint('jsonschema' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        input=raw,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert done.stdout.decode().strip() == str(imported)


_MATCH: Final = """
import json, sys
from pbem.base.shapes.schema import form, narrowed
from pbem.game import Seat
from pbem.player.seat.check import check_file
from pbem.protocol.client import compose_turn
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Accepted, receive
given = json.load(sys.stdin)
host, lines = Identity(bytes.fromhex(given["host"])), [line.encode() for line in given["lines"]]
record = Record.load(lines, HostOpenings(host, read_line(lines[0])))
assert "jsonschema" not in sys.modules, "records are read in bulk"
raw, anna, seat = given["file"].encode(), Identity(bytes.fromhex(given["anna"])), Seat(given["seat"])
"""
_ASKED: Final = """
words = record.rules.words
forms = {"sealed": form("sealed")}
forms |= {name: narrowed(f"wyatt-earp/{name}", words) for name in ("action", "orders")}
print(*sorted(name for name, each in forms.items() if "_judge" in vars(each)))
"""
_AT_THE_HOST: Final = "assert isinstance(receive(record, host, raw, record.head.at), Accepted)"
_DRAW: Final = {"do": "draw", "from": "supply"}
GATE: Final = {
    "an open action at the host": (False, _AT_THE_HOST, "action orders sealed"),
    "a sealed action at the host": (True, _AT_THE_HOST, "action sealed"),
    "an open action, pbem check": (False, "assert check_file(Record.load(lines), raw).ok", "action"),
    "pbem turn": (
        False,
        f"compose_turn(record, anna, seat, 9, actions=[{_DRAW}], salt=lambda: bytes(16))",
        "action orders",
    ),
}


@pytest.mark.parametrize("subject", GATE)
def test_actions_and_orders_are_judged_by_jsonschema_as_they_come_and_in_records_they_are_not(
    subject: str,
) -> None:
    sealed, program, judged = GATE[subject]
    world = World("wyatt-earp", ("anna", "burt"), seed="judges").start().play(6)
    while world.record.waiting is None or world.record.waiting["phase"] != "draw":
        world.move()
    seat = Seat(world.record.waiting["seat"])
    file, anna = world.turn_file(seat, _DRAW), world.people[seat]
    if sealed:
        game, n, to = world.record.game, world.number(seat), world.host.seal_public
        part = seal_part("sealed", game, seat, n, to, anna.seal_public, bytes(16), [_DRAW])
        file = build_turn(anna, game, seat, n, world.record.head.seen, sealed=part)
    given = {
        "host": world.host.secret.hex(),
        "anna": anna.secret.hex(),
        "seat": seat,
        "file": canon(file).decode(),
        "lines": [line.decode() for line in world.lines],
    }
    done = subprocess.run(
        [sys.executable, "-c", f"{_MATCH}{program}{_ASKED}"],
        input=json.dumps(given),
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout.strip() == judged


def test_where_the_library_is_not_there_the_fast_judge_decides() -> None:
    """As in the browser page."""
    code = (
        "import json, sys\n"
        "sys.modules['jsonschema'] = None\n"
        "from pbem.base.shapes.schema import form\n"
        "print(type(form('turn')._judge).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout.strip() == Compiled.__name__
