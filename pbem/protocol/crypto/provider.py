"""Which provider of ``primitives`` is used: ``pbem.protocol.crypto.native`` unless another one was installed."""

from __future__ import annotations

from functools import lru_cache

from pbem.protocol.crypto.primitives import Provider

_installed: list[Provider] = []


def use(chosen: Provider) -> None:
    """Use this provider from now on. Keys made before keep theirs."""
    _installed[:] = [chosen]
    provider.cache_clear()


@lru_cache(maxsize=1)
def provider() -> Provider:
    """The provider in use."""
    if not _installed:
        from pbem.protocol.crypto.native import Native

        _installed.append(Native())
    return _installed[0]
