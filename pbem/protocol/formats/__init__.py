"""Bytes to values and back: strict JSON, signed files, envelopes, messages, armour, identities.

In: strict JSON, what a signed file looks like, envelopes, identities on disk, text blocks, harmless characters.
Out: what a message means (``pbem.protocol.record``), where bytes come from (``pbem.player.mail``,
``pbem.player.store``), schemas themselves (``pbem.base.shapes``). Called by: every package above.
"""
