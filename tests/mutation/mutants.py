"""The faults: cosmic-ray's operators, one characteristic replacement for each, and three of our own.

A mutant is named by module, line, operator and occurrence. Faults inside annotations are left out: they change nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

ROOT: Final = Path(__file__).parents[2]
_BINARY = "Add_Sub Sub_Add Mul_Add Div_Mul FloorDiv_Mul Mod_FloorDiv Pow_Mul RShift_LShift LShift_RShift"
_BITS = "BitOr_BitAnd BitAnd_BitOr BitXor_BitOr"
_COMPARE = "Eq_NotEq NotEq_Eq Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Is_IsNot IsNot_Is"
_CORE = (
    "AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd ReplaceBreakWithContinue "
    "ReplaceContinueWithBreak ExceptionReplacer NumberReplacer ZeroIterationForLoop "
    "ReplaceUnaryOperator_Delete_Not ReplaceUnaryOperator_Delete_USub"
)


class DropStatement(Operator):  # type: ignore[misc]  # cosmic-ray has no types
    """A call or a ``raise`` on a line of its own is not made."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        if node.type == "simple_stmt" and self._drops(node.children[0]):
            yield node.start_pos, node.end_pos

    @staticmethod
    def _drops(node: Any) -> bool:
        if node.type == "raise_stmt":
            return True
        return bool(node.type == "atom_expr" and node.children[-1].type == "trailer")

    def mutate(self, node: Any, index: int) -> Any:
        del index
        passed = parso.parse("pass\n").children[0]
        passed.get_first_leaf().prefix = node.get_first_leaf().prefix
        return passed

    @classmethod
    def examples(cls) -> tuple[object, ...]:
        return ()


class SwapIn(Operator):  # type: ignore[misc]
    """``in`` for ``not in`` and the other way round."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        not_in = node.type == "comp_op" and node.children[0].value == "not"
        if not_in or (node.type == "keyword" and node.value == "in" and node.parent.type == "comparison"):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        del index
        text = " in" if node.type == "comp_op" else " not in"
        return parso.python.tree.Keyword(text, node.start_pos)

    @classmethod
    def examples(cls) -> tuple[object, ...]:
        return ()


class ReturnNone(Operator):  # type: ignore[misc]
    """A function gives nothing back."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        if node.type == "return_stmt" and node.children[1].get_code().strip() not in ("None", "False"):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        del index
        node.children[1] = parso.parse(" None").children[0]
        return node

    @classmethod
    def examples(cls) -> tuple[object, ...]:
        return ()


OPERATORS: Final[dict[str, Any]] = {
    **{f"ReplaceBinaryOperator_{name}": None for name in f"{_BINARY} {_BITS}".split()},
    **{f"ReplaceComparisonOperator_{name}": None for name in _COMPARE.split()},
    **dict.fromkeys(_CORE.split()),
    "DropStatement": DropStatement,
    "SwapIn": SwapIn,
    "ReturnNone": ReturnNone,
}


def operator(name: str) -> Any:
    """The operator of this name."""
    return (OPERATORS[name] or get_operator(f"core/{name}"))()


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: ``path`` is relative to the repository."""

    path: str
    line: int
    operator: str
    occurrence: int

    @property
    def name(self) -> str:
        """How it is called in lists."""
        return f"{self.path}:{self.line} {self.operator} {self.occurrence}"

    def source(self) -> str:
        """The module with the fault in it."""
        mutated = mutate_code(
            (ROOT / self.path).read_text(encoding="utf-8"), operator(self.operator), self.occurrence
        )
        if mutated is None:
            raise LookupError(f"there is no {self.name}")
        return str(mutated)


def mutants_of(path: str) -> list[Mutant]:
    """Every mutant of a module."""
    text = (ROOT / path).read_text(encoding="utf-8")
    tree = get_ast(text)
    nodes = list(ast_nodes(tree))
    idle = set(_annotations(ast.parse(text)))
    mutants = []
    for name in OPERATORS:
        mutation = operator(name)
        places = (place for node in nodes for place in mutation.mutation_positions(node))
        for occurrence, ((line, column), _) in enumerate(places):
            if not any(start <= (line, column) < end for start, end in idle):
                mutants.append(Mutant(path, line, name, occurrence))
    return mutants


_TURNED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_IDLE: Final = {"dataclass": {"frozen", "slots"}, "zip": {"strict"}, "lru_cache": {"maxsize"}}
"""Arguments without behaviour that a test of this product could see."""


class _Plain(ast.NodeTransformer):
    """One form for what does the same: ``not a == b`` as ``a != b``; what has no behaviour is removed."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            turned = _TURNED.get(type(inner.ops[0]))
            if turned is not None:
                return ast.Compare(inner.left, [turned()], inner.comparators)
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
            return inner.operand
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        idle = _IDLE.get(ast.unparse(node.func), set())
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in idle]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        never = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "assert_never"
        return ast.Pass() if never else node


def plain(source: str) -> str:
    """A text that two sources share only if they do the same."""
    return ast.dump(_Plain().visit(ast.parse(source)))


def _annotations(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations and type aliases stand."""
    for node in ast.walk(tree):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.AnnAssign):
            parts.append(node.annotation)
            if "TypeAlias" in ast.unparse(node.annotation):
                parts.append(node.value)
        elif isinstance(node, ast.arg):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts.append(node.returns)
        for part in parts:
            if part is not None:
                assert part.end_lineno is not None
                assert part.end_col_offset is not None
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
