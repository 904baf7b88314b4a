"""Who does the sums of ``pbem.crypto.primitives``: ``pbem.crypto.native`` unless another provider was installed."""

from __future__ import annotations

from pbem.crypto.primitives import Provider

_installed: list[Provider] = []


def use(provider: Provider) -> None:
    """Let this one do the sums from now on. Keys made before keep theirs."""
    _installed[:] = [provider]


def provider() -> Provider:
    """Who does the sums."""
    if not _installed:
        from pbem.crypto.native import Native

        _installed.append(Native())
    return _installed[0]
