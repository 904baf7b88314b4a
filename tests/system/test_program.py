"""Which modules the program's stamp covers."""

from __future__ import annotations

from pathlib import Path

from pbem.base.system.program import modules_of


def test_the_modules_of_a_package_and_of_those_in_it_count_and_no_folder_that_is_none(tmp_path: Path) -> None:
    for place in ("__init__.py", "b.py", "a/__init__.py", "a/c.py", "a/c.txt", "node_modules/d/e.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    names = [Path(module.path).relative_to(tmp_path).as_posix() for module in modules_of(str(tmp_path))]
    assert names == ["__init__.py", "b.py", "a/__init__.py", "a/c.py"]


def test_every_module_of_the_product_counts() -> None:
    package = Path(__file__).resolve().parents[2] / "pbem"
    paths = {path for path in package.rglob("*.py") if "node_modules" not in path.parts}
    assert {Path(module.path) for module in modules_of(str(package))} == paths
