"""Targets of make are read one by one, each with the variables that its recipe asks for."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.makefiles import as_shell, scripts_of_targets
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


def test_what_make_works_out_itself_is_a_value_that_is_not_known() -> None:
    asked = "$(if $(CONFIG),--config=$(abspath $(CONFIG)))"
    (made,) = scripts(f"t: x\n\tmkdir -p $(@D) && KUBECONFIG=$(K) run $< {asked} $$(date) $(shell id -u)\n")
    worked_out = "${worked_out_by_make}"
    assert text_of(made).splitlines()[-1] == (
        f"mkdir -p {worked_out} && KUBECONFIG=${{K}} run {worked_out} {worked_out} $(date) $(id -u)"
    )


def test_a_function_that_is_not_closed_is_left_as_it_stands() -> None:
    hostile = "$(if " * 20_000
    (made,) = scripts(f"t:\n\techo {hostile}\n")
    assert text_of(made).splitlines()[-1] == f"echo {hostile}"


def test_what_make_fills_in_within_single_quotes_is_filled_in() -> None:
    (made,) = scripts('K3S ?= /var/lib/k3s\nt:\n\techo \'{"at": "$(K3S)/x", "of": "$$HOME"}\'\n')
    assert text_of(made).splitlines()[-1] == """echo '{"at": "'"${K3S}"'/x", "of": "$HOME"}'"""


def test_a_file_that_is_included_sets_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "versions.mk").write_text("OPERATOR := v25.3.4\nall:\n\techo\n", encoding="utf-8")
    source = Source(tmp_path / "Makefile", "Makefile", named=True)
    lines = as_shell(b"-include versions.mk gone.mk\nt:\n\thelm install $(OPERATOR)\n", FilesBeside(source)).decode()
    assert lines.splitlines()[1:3] == ['OPERATOR="v25.3.4"', "helm install ${OPERATOR}"]
