"""What no shell can read: told once, where the shell named by the script would stop, and not where a template decides."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import NotUnderstood, Unit
from nodeworthy.boot.shell.strict.reading import why_broken
from nodeworthy.engine import judge
from nodeworthy.rules.failure_is_loud import RULE as LOUD
from nodeworthy.rules.kubelet_survives_reboot import RULE as SURVIVES
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.rules.shell_parses import RULE
from nodeworthy.scene import make_scene
from tests.boot.rules.scripts import messages, read, said_of

BROKEN = 'echo "a\n'


def test_bashs_words_and_place() -> None:
    assert messages(RULE, "true\nif true; then\n  true\n") == [
        "4: the shell can't read this script: syntax error: unexpected end of file"
    ]
    (found,) = said_of(RULE, "true\nif true; then\n  true\n").findings
    assert found.related[0].place.line == 3
    assert said_of(RULE, "echo a\n").verdict == "pass"


@pytest.mark.parametrize(
    "first", ["#!/bin/bash", "#!/usr/bin/env -S bash -e", "#!/bin/sh", "#!/bin/dash", "#! /usr/local/bin/bash"]
)
def test_shells_that_refuse_it(first: str) -> None:
    assert why_broken(f"{first}\n{BROKEN}") is not None


@pytest.mark.parametrize("first", ["#!/bin/zsh", "#!/usr/bin/python3", "#!/usr/bin/env perl", "#!/bin/ksh"])
def test_others_are_not_judged(first: str) -> None:
    assert why_broken(f"{first}\n{BROKEN}") is None


def test_what_dash_may_read_is_not_told_of_sh() -> None:
    for text in ('echo "${x:-it\'s}"\n', "[[ a b ]]\n", "echo $'it\\'s'\n"):
        assert why_broken(f"#!/bin/sh\n{text}") is None
    assert why_broken("#!/bin/bash\n[[ a b ]]\n") is not None


def test_windows_line_ends_are_anothers() -> None:
    assert why_broken("#!/bin/bash\nif true; then\r\n  true\r\nfi\r\n") is None


@pytest.mark.parametrize(
    "text",
    [
        'echo "${name}\n',
        "if true; then\n${body}\n",
        "${begin}\nfi\n",
        "%{ if a }\nif true; then\n%{ endif }\n  true\nfi\n",
        "%{ for a in b }\n}\n%{ endfor }\n",
    ],
)
def test_what_a_template_may_mend(text: str) -> None:
    assert why_broken(f"#!/bin/bash\n{text}", template=True) is None


def test_a_placeholder_is_for_somebody_to_fill_in() -> None:
    assert why_broken("#!/bin/bash\nOUT=$SCRATCH/<YOUR_RUN>\necho $OUT\n") is None
    assert why_broken("#!/bin/bash\ntrain --key <your key>\n") is None
    assert why_broken("#!/bin/bash\nOUT=$SCRATCH/<YOUR_RUN>\nfi\n") is not None
    assert why_broken("#!/bin/bash\nsort <in >\n") is not None


def test_what_no_filling_mends() -> None:
    found = why_broken('#!/bin/bash\necho "${name}" $${X:-y}\nif true then\n  true\nfi\n', template=True)
    assert found is not None
    assert (found.words, found.line) == ("syntax error near unexpected token `fi'", 5)
    late = why_broken('#!/bin/bash\necho "${replace(a,\n"b", "c")}"\ntrue\nfi\n', template=True)
    assert late is not None
    assert (late.line, late.line_of_begin) == (5, 5)


def test_extglob_that_the_script_switches_on() -> None:
    assert why_broken("#!/bin/bash\nshopt -s extglob\nrm -rf !(a|b)\n") is None
    assert why_broken("#!/bin/bash\nrm -rf !(a|b)\n") is not None


def test_what_stands_before_is_run_and_nothing_behind() -> None:
    effects = read("systemctl start a\nif true; then\n  systemctl start b\n").timeline.effects
    assert [each.unit.known for each in effects if isinstance(each, Unit)] == ["a.service"]
    (gap,) = [each for each in effects if isinstance(each, NotUnderstood)]
    assert "systemctl start b" in gap.text


def test_one_cause_is_one_finding() -> None:
    script = read("kubeadm join a:6443 --token b\nsystemctl start kubelet\nif true; then\nsystemctl enable kubelet\n")
    judgements = judge([make_scene([script])], [RULE, SURVIVES, LOUD], CRASHED)
    assert {each.rule.id: each.verdict.value for each in judgements}["kubelet-survives-reboot"] != "unknown"
    assert [each for each in judgements if each.verdict == "unknown"] == []
