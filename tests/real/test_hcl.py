"""What we make of HCL, and what the console of OpenTofu or Terraform does: picked expressions, made-up ones, templates.

Each value that it knows we know too, and equal, or say why not (a hole); what it refuses is nobody's value.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
from collections.abc import Sequence
from decimal import Context
from pathlib import Path

import pytest

from tests.hcl.expressions import GIVEN, PICKED, Making, expressions
from tests.hcl.roots import root, told, write

from .daemon import PATIENCE
from .tools import Tools, find

SEED = int(os.environ.get("HCL_SEED", "1"))
COUNT = int(os.environ.get("HCL_COUNT", "1500"))
TEMPLATES = COUNT // 5
REFUSED = "REFUSED"
# What neither waits for, but cannot say: the rest must be known.
MOST_HOLES = 0.03
# Beyond a hundred digits a number is rounded in another way: to 512 bits there, to 160 digits here.
_LONG = re.compile(r"\d+\.\d{90,}")
_ROUNDED = Context(prec=60)
# And nothing times less than nothing is less than nothing to a float.
_LESS_THAN_NOTHING = re.compile(r"(?<![\w.])-0(?![\w.])")


@pytest.fixture(scope="module")
def program(tools: Tools) -> str:
    found = find("tofu") or find("terraform")
    return str(found or tools.path("tofu"))


def asked(program: str, folder: Path, questions: Sequence[str]) -> list[str]:
    """Its answers as JSON. One that it refuses before it evaluates ends the whole run: then each half is asked again."""
    lines = "".join(f'try(base64encode(jsonencode({each})), "{REFUSED}")\n' for each in questions)
    environment = {**os.environ, "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull, "NO_COLOR": "1"}
    ran = subprocess.run(
        [program, "console"],
        input=lines,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    answers = ran.stdout.splitlines()
    if ran.returncode == 0 and len(answers) == len(questions):
        return [_decoded(each) for each in answers]
    if len(questions) == 1:
        return [REFUSED]
    half = len(questions) // 2
    return [*asked(program, folder, questions[:half]), *asked(program, folder, questions[half:])]


def _decoded(answer: str) -> str:
    plain = answer.strip('"')
    return plain if plain == REFUSED or not answer.startswith('"') else base64.b64decode(plain).decode()


def compare(program: str, folder: Path, questions: Sequence[str]) -> None:
    module = root(folder, {})
    theirs = asked(program, folder, questions)
    wrong, holes = [], []
    for question, answer in zip(questions, theirs, strict=True):
        ours = told(module, question)
        if answer.startswith("("):
            continue  # it does not know either
        if ours.startswith("HOLE"):
            holes.append(f"{question}: {ours}")
        elif answer != REFUSED and _short(ours) != _short(answer):
            wrong.append(f"{question}\n  theirs {answer}\n  ours   {ours}")
    assert not wrong, f"{len(wrong)} of {len(questions)}:\n" + "\n".join(wrong[:20])
    assert len(holes) <= MOST_HOLES * len(questions), "\n".join(holes[:40])


def _short(answer: str) -> str:
    short = _LONG.sub(lambda found: f"{_ROUNDED.create_decimal(found[0]).normalize(_ROUNDED):f}", answer)
    return _LESS_THAN_NOTHING.sub("0", short)


def test_picked_expressions(program: str, tmp_path: Path) -> None:
    compare(program, tmp_path, PICKED)


def test_made_up_expressions(program: str, tmp_path: Path) -> None:
    compare(program, tmp_path, list(expressions(SEED, COUNT)))


def test_made_up_templates(program: str, tmp_path: Path) -> None:
    making = Making(SEED)
    write(tmp_path, {f"t{number}.tftpl": making.template() for number in range(TEMPLATES)})
    compare(program, tmp_path, [f'templatefile("t{number}.tftpl", {GIVEN})' for number in range(TEMPLATES)])


def test_made_up_heredocs(program: str, tmp_path: Path) -> None:
    """Each a local of a root; the deeper their lines are indented, the more `<<-` takes away."""
    making = Making(SEED)
    lines = [
        "locals {",
        '  name = "gpu a"',
        "  n = 3",
        "  on = true",
        '  list = ["x", "y y"]',
        '  map = { a = 1, b = "two" }',
    ]
    for number in range(TEMPLATES):
        text = re.sub(r"\b(name|n|on|list|map)\b(?=[^{}]*[}~])", r"local.\1", making.template(2))
        pad = " " * making.random.randint(0, 4)
        body = "".join(f"{pad}{line}\n" for line in text.splitlines())
        lines.append(f"  h{number} = <<{making.random.choice(['', '-'])}END\n{body}  END")
    write(tmp_path, {"main.tf": "\n".join([*lines, "}"]) + "\n"})
    compare(program, tmp_path, [f"local.h{number}" for number in range(TEMPLATES)])
