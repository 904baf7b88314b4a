"""What is asked of both: of the Python that runs the tests, and of Python in WebAssembly as the page has it.

Each question is a function of JSON that gives JSON; it is answered in both places by this very code, and the answers
must be the same to the letter. Long things are shown by their SHA-256, refusals in their own words. Nothing here needs
a compiled library, or pytest.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pbem.base.errors import PbemError
from pbem.base.language import language_of
from pbem.game import PUBLIC, Decision, IllegalAction, MalformedAction, Seat
from pbem.player.mail import content_of
from pbem.player.pictures import draw
from pbem.player.play import Post, Session
from pbem.player.play.choices import Choices
from pbem.player.seat import PlayerClient
from pbem.protocol.audit import audit
from pbem.protocol.crypto import identity
from pbem.protocol.crypto import identity as hpke
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity, check_seal_key
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats.armour import scan
from pbem.protocol.formats.identity_file import read_identity, write_identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon, check_text, parse, parse_line
from pbem.protocol.record import Record
from pbem.protocol.scenario import results_to_json, run_file
from tests.conformance.driver import Case, moments, states
from tests.conformance.keyed import Keyed
from tests.conformance.variants import wishes
from tests.conformance.verdict import by_check
from tests.one_time_keys import fixed
from tests.vectors.operations import answer
from tests.world import FixedSalts, World, secret

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests" / "vectors"


def short(data: bytes | str) -> str:
    """The SHA-256 of something long."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:32]


def answered(sum_: Callable[..., Any], *given: Any) -> Any:
    """What comes out, or the refusal: its kind and its words."""
    try:
        return sum_(*given)
    except (PbemError, IllegalAction, MalformedAction, Unfit) as fault:
        words = "" if isinstance(fault, Unfit) else str(fault)
        code = getattr(fault, "code", "")
        return [type(fault).__name__, code, words, str(getattr(fault, "hint", ""))]


# --- bytes ---------------------------------------------------------------------------------------------------


def vectors(name: str) -> list[Any]:
    """All public vectors of one file."""
    cases = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return [[case["name"], answer(case["op"], case["in"])] for case in cases]


def other_peoples() -> list[Any]:
    """Wycheproof's signatures and shared secrets, and known answers of RFCs."""
    answers: list[Any] = []
    for case in _foreign("wycheproof-ed25519.json")["cases"]:
        key, message, signature = (bytes.fromhex(case[part]) for part in ("key", "msg", "sig"))
        fits = len(signature) == identity.SIGNATURE_SIZE
        answers.append(fits and provider().verifies(key, message, signature))
    for case in _foreign("wycheproof-x25519.json")["cases"]:
        secret_key, point = provider().seal_key(bytes.fromhex(case["private"])), bytes.fromhex(case["public"])
        shared = answered(secret_key.agree, point)
        answers += [shared.hex() if isinstance(shared, bytes) else shared, answered(check_seal_key, point)]
    for case in _foreign("rfc.json")["hpke"]:
        parts = [bytes.fromhex(case[name]) for name in ("key", "nonce", "pt", "aad")]
        answers.append(provider().gcm_seal(*parts).hex())
    return answers


def _foreign(name: str) -> Any:
    return json.loads((VECTORS / "foreign" / name).read_text(encoding="utf-8"))


def sums(count: int) -> list[Any]:
    """Keys, signatures, envelopes, boxes and scrypt from fixed bytes; and each of them damaged."""
    answers: list[Any] = []
    for number in range(count):
        seed, text = secret(f"seed {number}"), secret(f"text {number}") * (number % 5)
        sign, seal = provider().sign_key(seed), provider().seal_key(seed)
        signature = sign.sign(text)
        sealed = hpke.seal_with(provider(), secret(f"once {number}"), text, seal.public, text[:7])
        key, nonce = secret(f"key {number}")[: 16 if number % 2 else 32], seed[:12]
        box = provider().gcm_seal(key, nonce, text, seed)
        answers += [sign.public.hex(), signature.hex(), seal.public.hex(), short(sealed), short(box)]
        assert seal.open(sealed, text[:7]) == provider().gcm_open(key, nonce, box, seed) == text
        for bad in _damaged(signature + text, number):
            answers.append(provider().verifies(sign.public, bad[64:], bad[:64]))
        answers += [answered(seal.open, bad, text[:7]) for bad in _damaged(sealed, number)]
        answers += [answered(provider().gcm_open, key, nonce, bad, seed) for bad in _damaged(box, number)]
    answers += [provider().scrypt(b"horse", secret("salt"), log_n, 8, 1).hex() for log_n in (1, 10, 14)]
    return answers


def _damaged(data: bytes, number: int) -> Iterator[bytes]:
    for at in {number * 7 % len(data), len(data) - 1, 0, 63 % len(data)}:
        yield data[:at] + bytes([data[at] ^ 1 << number % 8]) + data[at + 1 :]
    yield data[: number % 70] if len(data) > 134 else data[:-1].ljust(64, b"\0")


READERS: dict[str, Callable[[bytes], Any]] = {
    "line": lambda raw: short(canon(parse_line(raw))),
    "parse": lambda raw: short(canon(parse(raw, limit=1 << 16))),
    "message": lambda raw: b64(read_message(raw).hash),
    "armour": lambda raw: [short(block) for block in scan(raw.decode("utf-8", "replace")).blocks],
    "mail": lambda raw: [short(repr(content_of(raw).kind)), len(raw)],
    "identity": lambda raw: b64(read_identity(raw, "horse battery")[0].sign_public),
    "file": lambda raw: _loaded(raw.split(b"\n")[:-1]),
}


def read(reader: str, texts: list[str]) -> list[Any]:
    """What a reader makes of each of these (base64url)."""
    return [answered(READERS[reader], unb64(text)) for text in texts]


def texts(strings: list[str]) -> list[int]:
    """Which of these signed text may hold: 1 or 0 for each."""
    return [int(answered(check_text, text) is None) for text in strings]


def identity_file(log_n: int) -> str:
    """An identity under a passphrase, written here."""
    return short(
        write_identity(Identity(secret("anna")), "Zoë Ann", "horse battery", bytes(range(16)), log_n=log_n)
    )


# --- rules ---------------------------------------------------------------------------------------------------


def scenarios(path: str) -> Any:
    """Every rules question of a file."""
    body = results_to_json(list(run_file(ROOT / path)))
    return [{name: said for name, said in result.items() if name != "place"} for result in body["results"]]


def conformance(
    game: str, seats: int, profile: str, options: list[list[Any]], decisions: int, late: str
) -> list[Any]:
    """A play with keyed chance: every view, every list of legal actions, every refusal of what is wished for."""
    case = Case(game, seats, profile, tuple((name, value) for name, value in options), decisions, late=late)
    rules, keyed = case.rules(), Keyed("wishes")
    answers: list[Any] = []
    for moment in moments(case):
        view = rules.observe(moment.state, moment.seat)
        legal = rules.legal_actions(view)
        spelled = [rules.action_to_json(action) for action in legal]
        answers.append([short(canon(rules.view_to_json(view))), short(canon(spelled)), len(legal)])
        answers.append(rules.action_to_json(rules.suggest(view)))
        answers.append(rules.action_to_json(rules.default_action(view)))
        for other in (*legal[:2], moment.action):
            asked = wishes(game, rules, rules.action_to_json(other), keyed)[:4]
            answers += [answered(_checked, rules, moment.state, moment.seat, wish) for wish in asked]
    for state in states(case)[::3]:
        answers.append(short(canon(rules.view_to_json(rules.observe(state, PUBLIC)))))
        node = rules.node(state)
        if isinstance(node, Decision):
            answers.append(answered(_checked, rules, state, node.seat, {"do": "no-such-thing"}))
    return answers


def _checked(rules: Any, state: Any, seat: Seat, wish: Any) -> Any:
    return list(map(str, by_check(rules, state, seat, rules.action_from_json(wish))))


# --- matches -------------------------------------------------------------------------------------------------


def _loaded(lines: list[bytes]) -> Any:
    record = Record.load(lines)
    return [len(record.lines), b64(record.head.hash), short(canon(record.public or {}))]


def match(text: str) -> Any:
    """A game file: what loading says, and what the audit says."""
    lines = unb64(text).split(b"\n")[:-1]
    report = audit(lines)
    faults = [[fault.seq, fault.step, fault.code, str(fault)] for fault in report.faults]
    labels = short(repr([(label.seq, label.label) for label in report.labels]))
    return [answered(_loaded, lines), faults, report.records, sorted(report.counts.items()), labels]


def kept_match(path: str, places: list[int]) -> Any:
    """A game file of this repository, and the same with one bit of it turned."""
    raw = (ROOT / path).read_bytes()
    answers = [match(b64(raw))]
    for place in places:
        at = place % len(raw)
        lines = (raw[:at] + bytes([raw[at] ^ 1 << place % 7]) + raw[at + 1 :]).split(b"\n")[:-1]
        answers.append(answered(_loaded, lines))
    return answers


def whole_match(game: str, seats: list[str], files: int, profile: str) -> Any:
    """A match played here by all its people and its host: signed, sealed, ruled on; every line of it."""
    with fixed():
        world = World(game, seats, profile=profile).start().play(files)
    return [short(line) for line in world.lines]


def evening(game: str, files: int, lang: str) -> Any:
    """A player's turn as the page takes it: choices, picture, a signed file, the checker's word, the host's ruling."""
    with fixed(), tempfile.TemporaryDirectory() as name:
        world, folder = World(game, ["anna", "burt", "curt"], seed="evening").start().play(files), Path(name)
        assert world.record.waiting is not None
        seat, salts = Seat(world.record.waiting["seat"]), FixedSalts("evening")
        (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))

        def opened() -> PlayerClient:
            return PlayerClient.open(
                folder, world.people[seat], lambda size: salts()[:size], lambda: world.now
            )

        session = Session(opened, Post(folder), say="Grüße aus Zürich", language=language_of(lang))
        choices = Choices(session)
        answers: list[Any] = [choices.title, *([str(row.label), str(row.effect)] for row in choices.rows())]
        answers.append(session.history.latest(6))
        answers.append(short(_picture(session)))
        session.add(world.record.rules.action_to_json(world.record.rules.suggest(session.view.view)))
        session.plan_orders({"rules": []})
        answers += [[str(row.label), str(row.effect)] for row in choices.rows()]
        sent = session.leave("armour")
        answers += [
            short(sent.signed.raw),
            sent.check.to_json(),
            [str(warning) for warning in sent.signed.warnings],
        ]
        answers.append(short(Path(sent.place).read_bytes()))
        ruling = world.send(sent.signed.raw)
        return [*answers, type(ruling).__name__, short(world.lines[-1])]


def _picture(session: Session) -> str:
    record, shown = session.record, session.view_json
    assert shown is not None
    assert record.public is not None
    rules = record.rules
    drawn = draw(
        session.game.info.id,
        shown,
        rules.setup,
        record.names,
        rules.summary(record.public),
        viewer=session.seat,
        language=session.language,
    )
    return "" if drawn is None else drawn.svg + drawn.alt


QUESTIONS: dict[str, Callable[..., Any]] = {
    "vectors": vectors,
    "other_peoples": other_peoples,
    "sums": sums,
    "read": read,
    "texts": texts,
    "identity_file": identity_file,
    "scenarios": scenarios,
    "conformance": conformance,
    "match": match,
    "kept_match": kept_match,
    "whole_match": whole_match,
    "evening": evening,
}


def ask(question: str, *given: Any) -> Any:
    """The answer, as JSON brings it back."""
    return json.loads(json.dumps(QUESTIONS[question](*given)))


def ask_text(text: str) -> str:
    """The same from text to text, for the one who asks from outside."""
    question = json.loads(text)
    return json.dumps(ask(question["ask"], *question["with"]))
