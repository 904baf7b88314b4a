"""Email as bytes: what a message, a saved file or a pasted text contains. Nothing here sends or fetches.

In: the gate for untrusted bytes, what an email brings, MIME written, the ports of SMTP and IMAP and their servers'
settings. Out: what a file says once it is taken out (``pbem.protocol.formats``), who is written to and when
(``pbem.host``, ``pbem.player.seat``). Called by: cli, host, host.service, play, seat, web.
"""

from pbem.player.mail.content import MAX_INPUT, Content, content_of

__all__ = ["MAX_INPUT", "Content", "content_of"]
