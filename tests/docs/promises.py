"""What programs may rely on from 1.0 on (schemas/README.md §17): names that are added, and never go.

``python -m tests.docs.promises`` adds what is new to ``promised.json``; no program ever removes anything from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pbem
from pbem.base import errors
from pbem.base.resources import data_dir
from pbem.cli.app import command

KEPT: Final = Path(__file__).with_name("promised.json")

Promised = dict[str, list[str]]


def there_is() -> Promised:
    """Everything of these kinds that there is today; ``!`` marks a member that never is missing."""
    faults = (var for var in vars(errors).values() if isinstance(var, type) and issubclass(var, Exception))
    members = {
        "import pbem": list(pbem.__all__),
        "exit codes": [f"{fault.__name__} {getattr(fault, 'exit_code', 1)}" for fault in faults],
    }
    for name, schema in (("audit/1", "audit-report"), ("scenario/1", "scenario")):
        read = json.loads((data_dir("schemas") / f"{schema}.schema.json").read_bytes())
        members[name] = [f"{member}!" for member in read["required"]] + list(read["properties"])
    for words, node in _commands(command(), "pbem"):
        options = [name for param in node.params for name in (*param.opts, *param.secondary_opts)]
        members[words] = [
            name for name in options if name.startswith("-") and not name.endswith("-completion")
        ]
    return {kind: sorted(set(names)) for kind, names in members.items()}


def _commands(node: Any, words: str) -> Iterator[tuple[str, Any]]:
    yield words, node
    for name, inner in getattr(node, "commands", {}).items():
        if not inner.hidden:
            yield from _commands(inner, f"{words} {name}")


def promised() -> Promised:
    """What was written down."""
    kept: Promised = json.loads(KEPT.read_bytes()) if KEPT.exists() else {}
    return kept


def main() -> None:
    """Write down what is new."""
    kept = promised()
    for kind, names in there_is().items():
        kept[kind] = sorted({*kept.get(kind, ()), *names})
    KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
