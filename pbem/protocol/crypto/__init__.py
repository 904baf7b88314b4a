"""Identities, signatures, sealing and the digests they share; knows nothing of games, files or mail.

In: keys from a secret, signatures, sealed boxes, hashes and how they are written, paper. Out: what is signed and
why (``pbem.protocol.formats``, ``pbem.protocol.record``), entropy and clocks, which callers bring. Called by: every
package above.
"""
