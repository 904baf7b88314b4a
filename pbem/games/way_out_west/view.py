"""A view: the position as one viewer sees it."""

from __future__ import annotations

from pbem.base.values import dataclass
from pbem.games.way_out_west.state import NOBODY, Position


@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may know.

    ``viewer`` is a seat's number, or NOBODY for the public; ``shown`` are the seats whose cash is in ``position``
    (0 stands there for the others).
    """

    position: Position
    viewer: int
    shown: tuple[int, ...]

    @property
    def decides(self) -> bool:
        """Whether it is this viewer's decision."""
        return self.viewer != NOBODY and self.position.decider == self.viewer
