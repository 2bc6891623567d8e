"""Scripts of nothing but functions, which others source: what each does, by itself."""

from __future__ import annotations

from nodeworthy.boot.conditions import always, together, who_decides
from nodeworthy.boot.effects import Effect, Installs
from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Place

_TWO = """#!/bin/bash
retry() { for each in 1 2 3; do "$@" && return; done; }
load() {
  retry modprobe nvidia
}
unload() { modprobe -r nvidia; }
"""


def effects(text: str) -> tuple[Effect, ...]:
    return unpack(text.encode(), Place(path="lib.sh"), name="lib.sh").timeline.effects


def script(text: str) -> BootScript:
    return BootScript(Place(path="lib.sh"), unpack(text.encode(), Place(path="lib.sh"), name="lib.sh"))


def test_each_function_that_no_other_calls() -> None:
    load, unload = (each for each in effects(_TWO) if type(each).__name__ == "LoadsModule")
    assert [each.place.line for each in (load, unload)] == [4, 6]
    assert "the function that another script calls is load" in [each.shown() for each in load.conditions]
    # Nobody knows that both are called, or that one always is.
    assert not together(load.conditions, unload.conditions)
    assert always([unload.conditions], load.conditions) is None
    assert "which functions of this script another one calls" in who_decides([unload.conditions], load.conditions)


def test_it_is_a_part_of_another_script() -> None:
    assert script(_TWO).is_library
    assert script(_TWO).is_a_part


def test_a_script_that_calls_its_functions_is_none() -> None:
    called = script(f"{_TWO}load\n")
    assert not called.is_library
    assert len([each for each in called.timeline.effects if type(each).__name__ == "LoadsModule"]) == 1


def test_what_its_caller_gives_is_not_known() -> None:
    # It is called as a word is that it says itself.
    text = 'install() {\n  apt-get install -y "nvidia-driver-$DRIVER" "$1"\n}\n'
    (install,) = (each for each in effects(text) if isinstance(each, Installs))
    assert [each.shown() for each in install.packages] == ["nvidia-driver-$DRIVER", "$1"]
    assert all(each.known is None for each in install.packages)


def test_a_function_that_leaves_ends_itself_alone() -> None:
    text = "need_root() { [ $EUID -eq 0 ] || exit 1; }\nswap() { swapoff -a; }\n"
    (off,) = effects(text)
    assert [each.shown() for each in off.conditions] == ["the function that another script calls is swap"]
