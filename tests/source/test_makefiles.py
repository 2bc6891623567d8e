"""Targets of make are read one by one, each with the variables that its recipe asks for."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.makefiles import scripts_of_targets
from nodeworthy.facts.boot.script import BootScript


def scripts(text: str) -> list[BootScript]:
    return scripts_of_targets(Source(Path("Makefile"), "Makefile", named=True), text.encode())


def text_of(script: BootScript) -> str:
    (part,) = script.userdata.parts
    return part.text


def test_a_recipe_has_the_variables_that_it_asks_for_and_those_that_they_ask_for() -> None:
    (made,) = scripts("HOST=10.0.0.1\nOTHER=x\nURL=$(HOST):6443\njoin:\n\t@kubeadm join $(URL)\nLATER=y\n")
    assert text_of(made).splitlines()[1:] == ['HOST="10.0.0.1"', 'URL="${HOST}:6443"', "kubeadm join ${URL}"]


def test_a_command_keeps_its_line_and_column() -> None:
    (made,) = scripts("all:\n\n\t@-swapoff -a\n")
    (part,) = made.userdata.parts
    place = part.origin.at(2)
    assert (place.line, place.column, part.text.splitlines()[1]) == (3, 4, "swapoff -a || : make")


def test_commands_without_a_target_are_of_none() -> None:
    assert scripts("A=1\n\tkubeadm join 10.0.0.1:6443\n") == []


def test_variables_that_ask_for_each_other_end() -> None:
    (made,) = scripts("A=$(B)\nB=$(A)\nt:\n\techo $(A)\n")
    assert text_of(made).splitlines()[-1] == "echo ${A}"
