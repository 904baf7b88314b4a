"""How much there may be of a thing, for somebody, in a time: by the library ``limits``, on a clock that is passed in.

Every limit of the host is one of these: answers to a person, files under an access code at the HTTP API, bytes of
refused emails of a seat. ``"8/hour; 40/day"`` is how one is written.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

from limits import RateLimitItem, parse_many
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

_MOST_KEYS: Final = 10_000


class Spent(Enum):
    """What became of a try to spend: there was enough; this one was too many, the first of them; it is long over."""

    GOOD = "good"
    ENDS = "ends"
    OVER = "over"


class Counts(Storage):
    """Counts that begin again when their time is over. Here they lie in memory, the least used are forgotten."""

    STORAGE_SCHEME = None

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._kept: OrderedDict[str, tuple[int, float]] = OrderedDict()

    @property
    def base_exceptions(self) -> type[Exception]:
        """See ``Storage``: there is nothing that can fail."""
        return LookupError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """See ``Storage``."""
        count, until = self._counter(key)
        self._kept[key] = count + amount, until or self._clock() + expiry
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEYS:
            self._kept.popitem(last=False)
        return count + amount

    def _counter(self, key: str) -> tuple[int, float]:
        count, until = self._kept.get(key, (0, 0.0))
        return (count, until) if until > self._clock() else (0, 0.0)

    def get(self, key: str) -> int:
        """See ``Storage``."""
        return self._counter(key)[0]

    def several(self, keys: Sequence[str]) -> dict[str, int]:
        """``get`` for many; what was not counted may be missing."""
        return {key: self.get(key) for key in keys}

    def get_expiry(self, key: str) -> float:
        """See ``Storage``."""
        return self._counter(key)[1]

    def check(self) -> bool:
        """See ``Storage``."""
        return True

    def reset(self) -> int | None:
        """See ``Storage``."""
        self._kept.clear()
        return None

    def clear(self, key: str) -> None:
        """See ``Storage``."""
        self._kept.pop(key, None)


class Budgets:
    """What may be spent, by what ``storage`` has counted."""

    def __init__(self, storage: Counts) -> None:
        self._counts = storage
        self._limiter = FixedWindowRateLimiter(storage)

    def spend(self, limit: str, *key: str, cost: int = 1) -> Spent:
        """Spend ``cost`` of what ``key`` may have."""
        spent = Spent.GOOD
        for item in _items(limit):
            if not self._limiter.hit(item, *key, cost=cost) and spent is Spent.GOOD:
                before = self._limiter.storage.get(item.key_for(*key)) - cost
                spent = Spent.ENDS if before <= item.amount else Spent.OVER
        return spent

    def take(self, limit: str, *key: str, cost: int = 1) -> bool:
        """The same, if nobody is alerted to its end: whether there was enough."""
        return self.spend(limit, *key, cost=cost) is Spent.GOOD

    def left(self, limit: str, *key: str) -> int:
        """How much is left; nothing is spent."""
        storage = self._limiter.storage
        return min(item.amount - storage.get(item.key_for(*key)) for item in _items(limit))

    def several(self, limit: str, subject: str, names: Collection[str]) -> dict[str, int]:
        """How much is left for each of these, by few questions; ``limit`` is one item. Nothing is spent."""
        (item,) = _items(limit)
        keys = {item.key_for(subject, name): name for name in names}
        counts = self._counts.several(list(keys))
        return {name: item.amount - counts.get(key, 0) for key, name in keys.items()}

    def has(self, limit: str, *key: str) -> bool:
        """Whether there is something left; nothing is spent."""
        return self.left(limit, *key) > 0


@lru_cache(maxsize=256)
def _items(limit: str) -> list[RateLimitItem]:
    return parse_many(limit)
