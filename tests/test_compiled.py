"""The modules that may be compiled: their records written out behave as they do, and a compiled tree runs what it says."""

from __future__ import annotations

import copy
import importlib
import os
import sys
from types import ModuleType
from typing import Any

import pytest

from nodeworthy import records
from nodeworthy.boot import text
from nodeworthy.verdict import Place
from tests.architecture.tree import ROOT

IS_COMPILED = "NODEWORTHY_COMPILED" in os.environ


@pytest.fixture(scope="module")
def tools() -> Any:
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("compiled_modules"), importlib.import_module("compiled_records")
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def written(tools: tuple[Any, Any]) -> dict[str, Any]:
    """What stands in nodeworthy/boot/effects.py and text.py once their records are written out, run by Python itself."""
    modules, writing = tools
    read = writing.Modules()
    for file in modules.modules(ROOT):
        read.read(ROOT, file)
    read.lay_out()
    names: dict[str, Any] = {}
    for file in ("nodeworthy/boot/effects.py", "nodeworthy/boot/text.py"):
        module = ModuleType(f"written_out_{len(names)}")
        sys.modules[module.__name__] = module
        exec(compile(writing.written_out(read, file), file, "exec"), module.__dict__)
        names |= vars(module)
    return names


def test_all_that_are_named_are_there(tools: tuple[Any, Any]) -> None:
    files = tools[0].modules(ROOT)
    assert {"nodeworthy/boot/text.py", "nodeworthy/boot/shell/walker.py"} <= set(files)
    assert all((ROOT / file).is_file() for file in files)


@pytest.mark.skipif(not IS_COMPILED, reason="make test-compiled runs it where they are compiled")
def test_they_are_the_compiled_ones(tools: tuple[Any, Any]) -> None:
    names = [tools[1].module_of(file) for file in tools[0].modules(ROOT)]
    assert [name for name in names if str(importlib.import_module(name).__file__).endswith(".py")] == []


def test_a_record_written_out_is_shown_compared_and_hashed_as_it_is(written: dict[str, Any]) -> None:
    one, same, other = (written["Hole"]("$A", why) for why in ("why", "why", "else"))
    ours = text.Hole("$A", "why")
    assert (repr(one), hash(one)) == (repr(ours), hash(ours))
    assert one == same
    assert one != other
    assert one != ours
    assert written["Text"].of("a", one).holes == (one,)


def test_a_field_without_a_default_is_needed_and_one_with_a_default_is_not(written: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="why"):
        written["Hole"]("$A")
    assert written["Hole"]("$A", "why").may_be == ()


def test_its_fields_are_known_and_replaced(written: dict[str, Any]) -> None:
    effect = written["Reboots"](place=Place("a"), stage=written["Stage"].SCRIPTS)
    assert [each.name for each in records.fields(effect)][:3] == ["place", "stage", "command"]
    changed = records.replace(effect, command="reboot")
    assert (changed.command, changed.place, effect.command) == ("reboot", Place("a"), "")


def test_a_copy_is_made_by_its_constructor(written: dict[str, Any]) -> None:
    """A compiled class has no instance that its `__init__` has not seen, of which a copy could be made otherwise."""
    hole = written["Hole"]("$A", "why")
    effect = written["Reboots"](place=Place("a"), stage=written["Stage"].SCRIPTS)
    assert [each.__reduce_ex__(4)[0] for each in (hole, written["Text"].of("a", hole))] == [
        written["Hole"],
        written["Text"],
    ]
    assert [copy.deepcopy(each) for each in (hole, effect)] == [hole, effect]
