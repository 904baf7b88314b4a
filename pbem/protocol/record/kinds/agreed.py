"""Records of what seats agreed to and nothing else: ``what`` and the consents of those who must."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.protocol.record.agreement import check_agreed, take_consents
from pbem.protocol.record.kind import Agreement, Kind
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, everybody


def agreed(
    name: str,
    agreement: Agreement,
    take: Callable[[Ledger, Line], None],
    *,
    asks: bool = False,
    goes_back: bool = False,
    halts: bool = False,
) -> Kind:
    """A kind that comes about by consents alone; all seats are notified of it."""

    def check(ledger: Ledger, line: Line) -> Iterator[Fault]:
        yield from check_agreed(ledger, line, agreement)

    def taken(ledger: Ledger, line: Line) -> None:
        take_consents(ledger, line)
        take(ledger, line)

    return Kind(
        name,
        check,
        taken,
        audience=everybody,
        text=name,
        asks=asks,
        goes_back=goes_back,
        halts=halts,
        agreement=agreement,
    )
