"""Who does the sums of ``primitives``: ``pbem.protocol.crypto.native`` unless another provider was installed."""

from __future__ import annotations

from functools import lru_cache

from pbem.protocol.crypto.primitives import Provider

_installed: list[Provider] = []


def use(chosen: Provider) -> None:
    """Let this one do the sums from now on. Keys made before keep theirs."""
    _installed[:] = [chosen]
    provider.cache_clear()


@lru_cache(maxsize=1)
def provider() -> Provider:
    """Who does the sums."""
    if not _installed:
        from pbem.protocol.crypto.native import Native

        _installed.append(Native())
    return _installed[0]
