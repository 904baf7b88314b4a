"""Mail as bytes: what a letter, a saved message or a pasted text brings. Nothing here sends or fetches."""

from __future__ import annotations

from pbem.mail.content import MAX_INPUT, Content, content_of

__all__ = ["MAX_INPUT", "Content", "content_of"]
