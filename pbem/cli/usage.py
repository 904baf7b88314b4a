"""What the parser of command lines refuses, and what the system fails to do, as faults shown like all others."""

from __future__ import annotations

import difflib
from enum import Enum
from typing import Any, Final

import typer

from pbem.base.errors import PbemError, StoreError, UsageProblem
from pbem.base.sentences import Sentence, sentence

FAULTS: Final = (typer.TyperException, typer.Abort, OSError)
"""What ``problem_of`` knows."""


def problem_of(fault: BaseException) -> PbemError:
    """The fault to show: of the parser (exit code 2), of the system (6), or a question without an answer (1)."""
    if isinstance(fault, typer.Abort):
        return PbemError(sentence("stopped at a question that had no answer"))
    if isinstance(fault, OSError):
        return StoreError(
            sentence("{path}: {fault}", path=fault.filename or sentence("this computer"), fault=fault)
        )
    context = getattr(fault, "ctx", None)
    path = context.command_path if context is not None else "pbem"
    reason, meant = _reason(fault, context, path)
    if meant:
        return UsageProblem(
            reason, hint=sentence("Did you mean {meant}? See: {path} --help", meant=meant, path=path)
        )
    return UsageProblem(reason, hint=sentence("See: {path} --help", path=path))


def _reason(fault: Any, context: Any, path: str) -> tuple[Sentence, str]:
    """What is wrong, and what may have been meant."""
    kind, message = type(fault).__name__, fault.format_message()
    if kind == "NoSuchOption":
        close = ", ".join(sorted(fault.possibilities or ()))
        return sentence("{path} has no option {option}", path=path, option=fault.option_name), close
    if kind == "BadOptionUsage":
        if "does not take" in message:
            return sentence("{option} takes no value", option=fault.option_name), ""
        return sentence("{option} needs a value behind it", option=fault.option_name), ""
    if kind == "MissingParameter" and fault.param is not None:
        return (
            sentence(
                "{path} needs {name}: {help}", path=path, name=_name(fault.param), help=_help(fault.param)
            ),
            "",
        )
    if kind == "BadParameter" and fault.param is not None:
        return _bad_value(fault), ""
    if hasattr(getattr(context, "command", None), "list_commands"):
        wrong = message.partition("'")[2].partition("'")[0]
        close = ", ".join(difflib.get_close_matches(wrong, context.command.list_commands(context), 2))
        return sentence("{path} has no command {word!r}", path=path, word=wrong), close
    if message.startswith("Got unexpected extra argument"):
        extra = message.rpartition("(")[2].removesuffix(")")
        return sentence("{path} has no use for {words!r}", path=path, words=extra), ""
    return sentence("{path}: {message}", path=path, message=message.removesuffix(".")), ""


def _bad_value(fault: Any) -> Sentence:
    """What a parameter takes, and what was found."""
    name, cause = _name(fault.param), fault.__cause__
    faults = cause.errors() if hasattr(cause, "errors") else []
    if not faults:
        return sentence("{name}: {message}", name=name, message=fault.message)
    first = faults[0]
    value, limits = first["input"], first.get("ctx", {})
    kind = getattr(getattr(fault.param, "type_descriptor", None), "annotation", None)
    if isinstance(kind, type) and issubclass(kind, Enum):
        names = ", ".join(str(choice.value) for choice in kind)
        return sentence("{name} is one of {names}, not {value!r}", name=name, names=names, value=value)
    if "ge" in limits:
        return sentence("{name} is at least {least}, not {value}", name=name, least=limits["ge"], value=value)
    if "le" in limits:
        return sentence("{name} is at most {most}, not {value}", name=name, most=limits["le"], value=value)
    if first["type"].startswith("int"):
        return sentence("{name} is a whole number, not {value!r}", name=name, value=value)
    return sentence(
        "{name}: {value!r} cannot be used: {message}", name=name, value=value, message=fault.message
    )


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())


def _help(parameter: Any) -> str:
    return str(parameter.help or parameter.metavar or parameter.name).removesuffix(".")
