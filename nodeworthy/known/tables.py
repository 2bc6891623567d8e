"""The tables of this folder. To read TOML takes longer than to look something up in it, so a table is read as a module
is: Python keeps what it came to beside its own compiled files, and reads the text again when that has changed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

# Else a table and the module that reads it would be kept under one name.
_KEPT = ".read.table"


@cache
def table_of(name: str) -> dict[str, Any]:
    return read_table(Path(__file__).with_name(f"{name}.toml"))


def read_table(path: Path) -> dict[str, Any]:
    """The table in a file of our own. It is trusted, because it becomes code."""
    code: Any = _Table(path.name, f"{path}{_KEPT}").get_code(path.name)
    # A date is the only value of TOML that is written by a module's name.
    names = {each: import_module(each) for each in code.co_names if each == "datetime"}
    read: dict[str, Any] = eval(code, names)  # noqa: S307 - a literal, written below
    return read


def _without_a_calendar(said: Any) -> Any:
    """When somebody read what a row says is for people, and no run imports a calendar for it: `date` is a text."""
    if isinstance(said, dict):
        return {name: str(each) if name == "date" else _without_a_calendar(each) for name, each in said.items()}
    return [_without_a_calendar(each) for each in said] if isinstance(said, list) else said


class _Table(SourceFileLoader):
    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        import tomllib

        return compile(repr(_without_a_calendar(tomllib.loads(bytes(data).decode()))), path, "eval")

    def path_stats(self, path: Any) -> Any:
        return super().path_stats(path.removesuffix(_KEPT))

    def get_data(self, path: str) -> bytes:
        return super().get_data(path.removesuffix(_KEPT))


if __name__ == "__main__":
    # As `compileall` does for modules: where Python may keep nothing when it runs, each start would read TOML.
    for folder in (Path(__file__).parent, Path(__file__).parents[1] / "rules"):
        for each in folder.rglob("*.toml"):
            read_table(each)
