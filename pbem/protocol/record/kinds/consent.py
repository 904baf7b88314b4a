"""A consent: what its seat agrees to is recorded as soon as all have agreed who must (schemas/README.md §6, §7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import Sentence, sentence, term
from pbem.game import JsonObject, Seat
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.record.check_messages import (
    TALK,
    by_recovery,
    newest_number,
    refuse_if,
    signing_key,
    too_many,
)
from pbem.protocol.record.kind import Awaits, FileKind, RulingContext
from pbem.protocol.record.kinds.agreements import (
    AGREEMENTS,
    must_agree,
    needs_proposal,
    terms_fault,
    untimely,
)
from pbem.protocol.record.kinds.close import close_and_end
from pbem.protocol.record.kinds.end import END, NO_WINNER
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.takeover import forgotten_word, hold_until, open_proposal_fault, unseen_word


def _judge(ledger: Ledger, message: Message) -> None:
    terms, seat = message.body["what"], Seat(message.seat)
    refuse_if("illegal", terms_fault(ledger, terms))
    if AGREEMENTS[terms["kind"]].proposed(ledger, terms) and terms["seat"] != seat:
        refuse_if("illegal", open_proposal_fault(ledger, Seat(terms["seat"])))
        refuse_if("illegal", unseen_word(ledger, Seat(terms["seat"]), message.body))
    if terms["kind"] != END.name and must_agree(ledger, terms) == (seat,):
        refuse_if("too-many", too_many(ledger, seat, 2 * TALK, key=message.file["sig"]["key"]))


def check_in_time(ledger: Ledger, message: Message, at: str) -> None:
    """Refuse a consent to what no record of this time could say, though others have yet to agree to it."""
    refuse_if("illegal", untimely(ledger, message.body["what"], at))


def _rule(context: RulingContext, message: Message, consents: Sequence[JsonObject]) -> Awaits | None:
    ledger, terms = context.ledger, message.body["what"]
    check_in_time(ledger, message, context.at)
    given = {message.seat: message.file}
    for file in consents:
        if file["body"]["what"] == terms and usable(ledger, message_of(file), context.at):
            given.setdefault(file["body"]["seat"], file)
    need = must_agree(ledger, terms, context.at)
    missing = tuple(seat for seat in need if seat not in given)
    proposed = needs_proposal(ledger, terms, given.values())
    if missing or (AGREEMENTS[terms["kind"]].by_host and not proposed):
        return Awaits(terms, missing)
    own = () if proposed else (terms.get("seat"),)
    counted = given.keys() if terms["kind"] == END.name else {*need, *own}
    record_agreed(context, terms, [given[seat] for seat in sorted(given.keys() & counted)])
    return None


def usable(ledger: Ledger, consent: Message, at: str = "") -> bool:
    """Whether a consent that was kept still counts: by who sits there now, not used up, not forgotten by ``at``."""
    terms = consent.body["what"]
    player = ledger.players.get(Seat(consent.seat))
    if player is None or consent.n <= newest_number(player, consent.file) or consent.game != ledger.game:
        return False
    if by_recovery(player, consent.file):
        if forgotten_word(ledger, consent.body, at):
            return False
    elif needs_proposal(ledger, terms) and unseen_word(ledger, Seat(terms["seat"]), consent.body):
        return False
    try:
        verify_file(consent.kind, consent.file, signing_key(player, consent.file))
    except PbemError:
        return False
    return True


def record_agreed(context: RulingContext, terms: JsonObject, files: Sequence[JsonObject]) -> None:
    """Write the record that everybody who must has agreed to, and what follows from it."""
    kind = terms["kind"]
    members: JsonObject = {"what": terms, "consents": list(files)}
    if kind == END.name:
        close_and_end(context, {"outcome": NO_WINNER, **members})
    elif needs_proposal(context.ledger, terms, files):
        until = hold_until(context.ledger, Seat(terms["seat"]), context.at)
        context.add(PROPOSE.name, {**members, "until": until})
    else:
        context.add(kind, members)
        context.go_on()


def _says(body: JsonObject) -> Sentence:
    return sentence("your agreement: {what}", what=term(str(body["what"]["kind"])))


CONSENT: Final = FileKind("consent", _judge, _rule, says=_says)
