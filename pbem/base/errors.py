"""Exception roots: one class per kind of fault, one exit code each.

::

    PbemError                exit 1   anything else we expected could go wrong
    ├─ UsageProblem          exit 2   a wrong file, a missing key, a command out of place
    ├─ FormatError           exit 3   bytes that are not what they claim: JSON, schema, armour, base64
    ├─ VerificationError     exit 4   a signature, a chain, a draw or a commitment that does not hold
    ├─ RefusedError          exit 5   a turn the referee refused
    └─ StoreError            exit 6   disk or mail; trying again may help

Messages name the place, what was expected and what was found; ``hint`` says what to do next.
"""

from __future__ import annotations

from pbem.base.sentences import joined, place_of, sentence


class PbemError(Exception):
    """Base of every fault that is shown to a person; ``str()`` is the sentence, ``hint`` the next step.

    ``done`` says what was signed, kept or sent before it failed; empty if nothing was.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.done = ""

    def diagnostics(self) -> str:
        """The whole story for a terminal: the sentence and, on a line of its own, what to do."""
        return f"{self}\n{self.hint}" if self.hint else str(self)


class UsageProblem(PbemError):
    """The command was given something that cannot work: a wrong file, a missing key."""

    exit_code = 2


def there_already(path: object, hint: str) -> UsageProblem:
    """What is said of a file that is where a new one was to be."""
    return UsageProblem(sentence("{path} is there already", path=path), hint=hint)


class FormatError(PbemError):
    """Bytes that are not what they claim to be; ``where`` is a JSON Pointer, if known, and is said in words."""

    exit_code = 3

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        place = _place(where)
        super().__init__(joined((place, message), ": ") if place else message, hint=hint)
        self.where = where


def _place(pointer: str) -> str:
    """``/body/actions/1/count`` for people: ``actions 2, count``; what a person sends stands in the body anyway."""
    if not pointer.startswith("/"):
        return pointer
    names = [
        step.replace("~1", "/").replace("~0", "~") for step in pointer.removeprefix("/body").split("/")[1:]
    ]
    return place_of(int(name) if name.isdecimal() else name for name in names)


class VerificationError(PbemError):
    """A signature, chain, draw or commitment that does not hold; ``code`` is stable, for programs."""

    exit_code = 4

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class RefusedError(PbemError):
    """A turn that the referee (or the player's own check) refused."""

    exit_code = 5


class StoreError(PbemError):
    """Disk, lock or mail trouble; what was there before is unchanged, and trying again may help."""

    exit_code = 6
