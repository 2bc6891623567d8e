"""Expressions and templates, picked and made up, that Terraform and we must understand alike."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

PICKED = (Path(__file__).parent / "expressions.txt").read_text().splitlines()

_WORDS = [
    "",
    "a",
    "b",
    "gpu",
    "x y",
    "10",
    "1.50",
    "true",
    "é",
    "a,b",
    " lead",
    "tail ",
    "A-b_c",
    "p5.48xlarge",
    "#",
    "- x",
    "a: b",
]
_ESCAPED = ["\\n", "\\t", '\\"', "\\\\", "$${", "%%{", "$", "%", "\\u00e9", "x\\ny", "\\n\\n", " \\n", "\\r\\n"]
_KEYS = ["a", "b", "c", "name", "k8s.io/x", "1", "x y"]


class Making:
    """Expressions of a type that is asked for, out of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def any(self, depth: int) -> str:
        kinds = [self.string, self.number, self.boolean, self.list, self.map]
        return self.random.choice(kinds)(depth)

    def one_of(self, depth: int, simple: Callable[[], str], *made: Callable[[], str]) -> str:
        return simple() if depth <= 0 or self.random.random() < 0.15 else self.random.choice(made)()

    def literal(self) -> str:
        parts = [self.random.choice(_WORDS + _ESCAPED) for _ in range(self.random.randint(1, 3))]
        return '"' + "".join(parts) + '"'

    def plain(self) -> str:
        return f'"{self.random.choice(_WORDS)}"'

    def string(self, depth: int) -> str:
        d = depth - 1
        return self.one_of(
            depth,
            self.literal,
            lambda: f'"{self.random.choice(_WORDS)}${{{self.scalar(d)}}}{self.random.choice(_WORDS)}"',
            lambda: f'"a%{{ if {self.boolean(d)} }}${{{self.scalar(d)}}}%{{ else }}n%{{ endif }}"',
            lambda: f'"%{{ for x in {self.list(d)} }}${{jsonencode(x)}};%{{ endfor }}"',
            lambda: (
                f"{self.random.choice(['upper', 'lower', 'trimspace', 'chomp', 'strrev', 'title', 'sha256', 'base64encode'])}({self.string(d)})"
            ),
            lambda: f"replace({self.string(d)}, {self.plain()}, {self.plain()})",
            lambda: f"join({self.plain()}, [{self.string(d)}, {self.scalar(d)}, {self.string(d)}])",
            lambda: f"indent({self.random.randint(0, 5)}, {self.string(d)})",
            lambda: f"substr({self.string(d)}, {self.random.randint(-3, 4)}, {self.random.randint(-1, 5)})",
            lambda: (
                f'format("%s-%v|%5s|%-4s|%q|%03d|%.2f", {self.string(d)}, {self.any(d)}, {self.plain()}, {self.plain()}, {self.string(d)}, {self.random.randint(0, 999)}, {self.number(0)})'
            ),
            lambda: f"yamlencode({self.any(d)})",
            lambda: f"jsonencode({self.any(d)})",
            lambda: f"{self.random.choice(['trimprefix', 'trimsuffix', 'trim'])}({self.string(d)}, {self.plain()})",
            lambda: f"({self.boolean(d)} ? {self.string(d)} : {self.scalar(d)})",
            lambda: f"coalesce({self.string(d)}, {self.string(d)})",
            lambda: f"element({self.strings(d)}, {self.random.randint(0, 5)})",
            lambda: f"tostring({self.scalar(d)})",
        )

    def scalar(self, depth: int) -> str:
        return self.random.choice([self.string, self.number, self.boolean])(depth)

    def number(self, depth: int) -> str:
        d = depth - 1
        numbers = ["0", "1", "2", "-3", "10", "0.5", "1.25", "1e3", "100000000000000000000", "0.1", "7"]
        return self.one_of(
            depth,
            lambda: self.random.choice(numbers),
            lambda: f"({self.number(d)} {self.random.choice('+-*')} {self.number(d)})",
            lambda: f"({self.number(d)} {self.random.choice('/%')} {self.random.choice(['2', '4', '5', '3'])})",
            lambda: f"length({self.random.choice([self.list, self.map, self.string])(d)})",
            lambda: f"{self.random.choice(['max', 'min'])}({self.number(d)}, {self.number(d)})",
            lambda: f"{self.random.choice(['abs', 'ceil', 'floor'])}({self.number(d)})",
            lambda: f"sum([{self.number(d)}, {self.number(d)}])",
            lambda: f"({self.boolean(d)} ? {self.number(d)} : {self.number(d)})",
            lambda: f"try({self.map(d)}.a, {self.number(d)})",
        )

    def boolean(self, depth: int) -> str:
        d = depth - 1
        return self.one_of(
            depth,
            lambda: self.random.choice(["true", "false"]),
            lambda: f"({self.any(d)} {self.random.choice(['==', '!='])} {self.any(d)})",
            lambda: f"({self.number(d)} {self.random.choice(['<', '<=', '>', '>='])} {self.number(d)})",
            lambda: f"({self.boolean(d)} {self.random.choice(['&&', '||'])} {self.boolean(d)})",
            lambda: f"!{self.boolean(d)}",
            lambda: f"contains({self.strings(d)}, {self.string(d)})",
            lambda: f"can({self.map(d)}.b)",
            lambda: (
                f"{self.random.choice(['startswith', 'endswith', 'strcontains'])}({self.string(d)}, {self.plain()})"
            ),
            lambda: f"{self.random.choice(['alltrue', 'anytrue'])}([{self.boolean(d)}, {self.boolean(d)}])",
        )

    def strings(self, depth: int) -> str:
        return "[" + ", ".join(self.string(depth - 1) for _ in range(self.random.randint(1, 3))) + "]"

    def list(self, depth: int) -> str:
        d = depth - 1
        return self.one_of(
            depth,
            lambda: "[" + ", ".join(self.scalar(0) for _ in range(self.random.randint(0, 3))) + "]",
            lambda: "[" + ", ".join(self.any(d) for _ in range(self.random.randint(0, 3))) + "]",
            lambda: f"[for x in {self.list(d)} : x if {self.boolean(d)}]",
            lambda: f"[for k, v in {self.map(d)} : {{ key = k, value = v }}]",
            lambda: f"concat({self.list(d)}, {self.list(d)})",
            lambda: f"flatten([{self.list(d)}, [{self.list(d)}]])",
            lambda: (
                f"{self.random.choice(['distinct', 'compact', 'sort', 'toset', 'tolist', 'reverse'])}({self.strings(d)})"
            ),
            lambda: f"split({self.plain()}, {self.string(d)})",
            lambda: f"{self.random.choice(['keys', 'values'])}({self.map(d)})",
            lambda: f"[{{ a = {self.any(d)} }}, {{ a = {self.any(d)} }}][*].a",
            lambda: f"slice({self.strings(d)}, 0, 1)",
            lambda: f"range({self.random.randint(0, 5)})",
            lambda: f"chunklist({self.strings(d)}, 2)",
            lambda: f"setproduct({self.strings(d)}, {self.strings(d)})",
            lambda: f"({self.boolean(d)} ? {self.strings(d)} : {self.strings(d)})",
            lambda: f'regexall("[a-z0-9]+", {self.string(d)})',
            lambda: (
                f"set{self.random.choice(['union', 'intersection', 'subtract'])}({self.strings(d)}, {self.strings(d)})"
            ),
        )

    def map(self, depth: int) -> str:
        d = depth - 1
        return self.one_of(
            depth,
            lambda: self.object(0),
            lambda: self.object(d),
            lambda: f"merge({self.map(d)}, {self.map(d)})",
            lambda: f"{{ for i, x in {self.strings(d)} : i => x }}",
            lambda: f"{{ for x in {self.strings(d)} : x => x... }}",
            lambda: f'zipmap(["a", "b"], [{self.any(d)}, {self.any(d)}])',
            lambda: f"yamldecode(yamlencode({self.map(d)}))",
            lambda: f"jsondecode(jsonencode({self.map(d)}))",
            lambda: f"tomap({{ a = {self.scalar(d)}, b = {self.string(d)} }})",
            lambda: f"transpose({{ a = {self.strings(d)} }})",
        )

    def object(self, depth: int) -> str:
        names = self.random.sample(_KEYS, self.random.randint(0, 4))
        return "{ " + ", ".join(f'"{name}" = {self.any(depth)}' for name in names) + " }"

    def template(self, depth: int = 3) -> str:
        """A template file: it is given `name`, `n`, `on`, `list` and `map`."""
        return "".join(self._line(depth) for _ in range(self.random.randint(1, 6)))

    def _line(self, depth: int) -> str:
        tilde = self.random.choice(["", "", "~"])
        close = self.random.choice(["", "", "~"])
        inside = self.random.choice(["name", "n", "on", "upper(name)", "jsonencode(map)", "n + 1", "list[0]", "map.a"])
        plain = self.random.choice(
            ["#!/bin/sh", "  indented", "", "a $ b", "5%", "$${HOME}", "%%{x}", "\\n stays", '"q"', "\ttab  "]
        )
        if depth <= 0:
            return f"{plain} ${{{tilde}{inside}{close}}}\n"
        pad = self.random.choice(["", "  "])
        inner = "".join(self._line(depth - 2) for _ in range(self.random.randint(0, 2)))
        return self.random.choice(
            [
                f"{plain}\n",
                f"{pad}{plain}${{{tilde} {inside} {close}}} {plain}\n",
                f"{pad}%{{{tilde} if on {close}}}\n{inner}%{{ else {close}}}\n{inner}%{{{tilde} endif }}\n",
                f"{pad}%{{ for x in list {close}}}\n{pad}item ${{x}}\n{inner}%{{{tilde} endfor {close}}}\n",
                "%{ for k, v in map }${k}=${jsonencode(v)} %{ endfor }\n",
                f"%{{ if n > {self.random.randint(0, 5)} }}more%{{ endif }}\n",
            ]
        )

    def heredoc(self) -> str:
        return self.template().replace("name", "local.name").replace("upper(local.name)", "upper(local.name)")


def expressions(seed: int, count: int) -> Iterator[str]:
    making = Making(seed)
    for _ in range(count):
        yield making.any(making.random.randint(1, 4))


GIVEN = '{ name = "gpu a", n = 3, on = true, list = ["x", "y y"], map = { a = 1, b = "two", "c d" = [true, null] } }'
