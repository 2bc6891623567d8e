"""Hostile files end soon: as values, holes, or one fault with its place; never as anything else."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.scope import TooMuch
from tests.hcl.expressions import Making, expressions
from tests.hcl.roots import root, told
from tests.hcl.test_root import FILES, MAIN

SECONDS = 20
BOMBS = {
    "brackets": "locals { x = " + "[" * 20_000 + "}",
    "parentheses": "locals { x = " + "(" * 5_000 + "1" + ")" * 5_000 + " }",
    "templates": "locals { x = " + '"${' * 3_000 + "1" + '}"' * 3_000 + " }",
    "blocks": "a {\n" * 5_000,
    "operators": "locals { x = 1" + " + 1" * 20_000 + " }",
    "steps": "locals { x = a" + ".b" * 20_000 + " }",
    "signs": "locals { x = " + "!" * 20_000 + "true }",
    "comments": "/*" * 20_000,
    "directives": 'locals { x = "' + "%{ if true }" * 2_000 + '" }',
    "doubling": 'locals {\n a0 = "xxxxxxxx"\n'
    + "".join(f' a{n} = "${{local.a{n - 1}}}${{local.a{n - 1}}}"\n' for n in range(1, 60))
    + "}",
    "doubling lists": "locals {\n a0 = [1, 2]\n"
    + "".join(f" a{n} = concat(local.a{n - 1}, local.a{n - 1})\n" for n in range(1, 60))
    + "}",
    "nested loops": "locals { x = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]] }",
    "chain": "locals {\n a0 = 1\n" + "".join(f" a{n} = local.a{n - 1}\n" for n in range(1, 3_000)) + "}",
    "count": 'resource "a" "b" { count = 100000000 }',
    "digits": f"locals {{ x = {'9' * 50_000} }}",
    "exponent": "locals { x = 1e999999999 * 1e999999999 }",
    "pattern": 'locals { x = regex("(a+)+$", "' + "a" * 60 + '!") }',
    "heredoc": "locals { x = <<A\n" + "B\n" * 50_000,
    "product": "locals { x = setproduct(range(1000), range(1000), range(1000)) }",
    "format": 'locals { x = format("%999999999s", "a") }',
    "many": "".join(f'resource "a" "b{n}" {{ x = [for i in range(100) : i] }}\n' for n in range(2_000)),
}


def everything_of(module: object) -> None:
    """What a reader of roots asks for."""
    try:
        for each in module.everything():  # type: ignore[attr-defined]
            if isinstance(each, Instance):
                assert each.values is not None
                assert each.place.line
        for name in module._locals:  # type: ignore[attr-defined]
            module._local_value(name)  # type: ignore[attr-defined]
    except TooMuch:
        pass


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends(tmp_path: Path, name: str) -> None:
    began = time.process_time()
    everything_of(root(tmp_path, {"main.tf": BOMBS[name]}))
    assert time.process_time() - began < SECONDS


def test_files_that_were_cut_and_stirred_end(tmp_path: Path) -> None:
    """A seed and a number of files; tools' own runs take more."""
    chosen = random.Random(7)
    making = Making(7)
    pieces = [
        '"${',
        "}",
        "%{ if ",
        "<<-A\n",
        "A\n",
        "[*]",
        "...",
        "for x in ",
        "=>",
        "\\",
        "\x00",
        "\u2028",
        "é",
        "${~",
        "(",
        "[",
        "{",
    ]
    for number in range(150):
        text = MAIN if number % 2 else "".join(f"locals {{ l{n} = {making.any(3)} }}\n" for n in range(4))
        for _ in range(chosen.randint(1, 6)):
            at = chosen.randrange(len(text))
            end = min(len(text), at + chosen.choice([0, 0, 1, 5, 60]))
            text = text[:at] + chosen.choice(["", chosen.choice(pieces), text[end : end + 40]]) + text[end:]
        everything_of(root(tmp_path, {**FILES, "main.tf": text}))


def test_made_up_expressions_end(tmp_path: Path) -> None:
    module = root(tmp_path, {})
    assert [told(module, each) for each in expressions(9, 400)].count("REFUSED") < 400


def test_templates_that_were_stirred_end(tmp_path: Path) -> None:
    chosen, making = random.Random(8), Making(8)
    main = 'locals { x = templatefile("t", { name = "a", n = 1, on = true, list = [], map = {} }) }'
    for _ in range(100):
        text = making.template()
        at = chosen.randrange(len(text))
        everything_of(
            root(
                tmp_path, {"main.tf": main, "t": text[:at] + chosen.choice(["%{", "${", "}", "~", ""]) + text[at + 1 :]}
            )
        )
