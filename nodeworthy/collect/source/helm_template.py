"""Reads the manifests of a chart: YAML with Go's template actions in it, which no YAML reader takes as they are.
Ansible's templates and Terraform's, which steer with `{% … %}` and `%{ … }`, are read in the same way.

Actions are replaced by a sign of the same length, so that every value keeps its line and column; what holds such a
sign is unknown, and a mapping into which a template writes more than stands there is incomplete. Lines that only
steer (`{{- if … }}`) are left blank: what stands in each branch is read, and where two branches give one name two
values, that is unknown, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.documents.settled import CHOSEN, FILLED_IN, Incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

# A character for private use, which no manifest has: it is a word of plain YAML.
SIGN = "\ue000"
_QUOTED = r"\"(?:[^\"\\\n]|\\.){0,4000}\"|`[^`]{0,4000}`"
_ACTION = pattern(r"\{\{-?(?P<says>(?:[^{}\"`]|" + _QUOTED + r"|\{(?!\{)|\}(?!\}))*)-?\}\}")
_COMMENT = pattern(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
_JINJAS = pattern(r"\{%.{0,1000}?%\}|\{#.{0,4000}?#\}", re.DOTALL)
_TERRAFORMS = pattern(r"(?m)^[ \t]*%\{[^{}\n]{0,1000}\}[ \t]*$")
_EXPRESSION = pattern(r"(?<!\$)\$\{[^{}\n\"'?]{0,200}[\"'?][^{}\n]{0,1000}\}")
_STEERS = pattern(r"\s*(?:(?:if|else|end|with|range|define|block|break|continue|fail)\b|/\*|\$[\w.]*\s*:?=)")
_CHOOSES = pattern(r"\s*(?:if|else|with|range)\b")
_ELSE = pattern(r"(?:\{\{|\{%)-?[ \t]{0,40}(?:else|elif)\b", words=("else", "elif"))
_INDENT = pattern(r"\bn?indent\s+(\d+)")
_MARKS = ("{{", "{%", "%{", "${")
# A value that an action is, outside of quotes: to a YAML reader it is a mapping.
_BARE = pattern(r"(?m)^[^\"'#\n]*[:-][ \t]+[^\"'#\n]*\{\{")
# How many lines above and below an action are looked at for what it stands among.
_AROUND = 2000


def read_templated(text: str, origin: Place) -> list[Tree]:
    """Every document of a text that may be a template. Raises NotYaml for what is none even without its actions.
    An action inside a string is left to who reads the string."""
    if _BARE.search(text) is None:
        try:
            return read_all(text, origin)
        except NotYaml:
            if not any(mark in text for mark in _MARKS):
                raise
    read = [_opened(each) for each in read_all(without_actions(text), origin)]
    return [_chosen(each) for each in read] if _ELSE.search(text) is not None else read


def without_actions(text: str) -> str:
    lines = _ACTION.sub(_signed, _of_others(_COMMENT.sub(_blank, text))).split("\n")
    shown = [_Line(line) for line in lines]
    return "\n".join(_line_as_yaml(index, shown) for index in range(len(shown)))


def _of_others(text: str) -> str:
    """The text without what steers in Jinja and Terraform, and with a sign for every expression of Terraform's that is
    more than a name. Rules know themselves that a name alone is filled in."""
    if "{%" in text or "{#" in text:
        text = _JINJAS.sub(_blank, text)
    if "%{" in text:
        text = _TERRAFORMS.sub(_blank, text)
    return _EXPRESSION.sub(lambda found: SIGN * len(found.group()), text) if "${" in text else text


def _blank(comment: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", comment.group())


def _signed(action: re.Match[str]) -> str:
    """What stands for an action: blanks for one that steers, else signs, the first line of it alone."""
    first, *others = action.group().split("\n")
    if _STEERS.match(action["says"]) and not _chooses_within_a_line(action):
        return "\n".join(" " * len(each) for each in (first, *others))
    told = _INDENT.search(action["says"])
    head = SIGN * len(first) if told is None else _with_indent(first, int(told[1]))
    return "\n".join([head, *(" " * len(each) for each in others)])


def _chooses_within_a_line(action: re.Match[str]) -> bool:
    """`gpu: {{ if .Values.all }}8{{ else }}1{{ end }}`: what stands there is none of both."""
    if _CHOOSES.match(action["says"]) is None or "\n" in action.group():
        return False
    text, start, end = action.string, action.start(), action.end()
    after = text.find("\n", end)
    rest = text[end : after if after >= 0 else None].strip()
    before = text[text.rfind("\n", 0, start) + 1 : start].strip()
    return bool(before or rest) and not (rest.startswith("#") and not before)


# How far an action indents what it writes travels as a second sign, behind the first.
_DEEPER = 0xE100


def _with_indent(action: str, columns: int) -> str:
    return SIGN * (len(action) - 1) + chr(_DEEPER + min(columns, 200))


@dataclass(frozen=True)
class _Line:
    text: str

    @property
    def bare(self) -> str:
        return self.text.strip()

    @property
    def is_action(self) -> bool:
        """Whether all of it is written by the template."""
        return self.bare != "" and all(SIGN <= each <= chr(_DEEPER + 200) for each in self.bare)

    @property
    def says_nothing(self) -> bool:
        return not self.bare or self.bare.startswith("#") or self.is_action

    @property
    def indent(self) -> int:
        told = ord(self.bare[-1]) - _DEEPER if self.is_action else -1
        return told if told >= 0 else len(self.text) - len(self.text.lstrip(" "))

    @property
    def columns(self) -> tuple[int, ...]:
        """Where what stands in it begins: an entry of a list also begins behind its dash."""
        found, rest = [self.indent], self.text[self.indent :]
        while rest.startswith("- "):
            behind = len(rest) - len(rest[1:].lstrip(" "))
            found.append(found[-1] + behind)
            rest = rest[behind:]
        return tuple(found)


def _line_as_yaml(index: int, lines: list[_Line]) -> str:
    line = lines[index]
    if not line.is_action:
        return line.text
    indent = line.indent
    above = _sibling(reversed(lines[max(0, index - _AROUND) : index]), indent)
    beside = above or _sibling(lines[index + 1 : index + _AROUND], indent)
    if beside is None:
        return " " * indent + SIGN
    return " " * indent + (f"- {SIGN}" if _is_entry(beside, indent) else f"{SIGN}{index}: {SIGN}")


def _sibling(lines: Iterable[_Line], indent: int) -> _Line | None:
    """The nearest line at the same depth, before one that is less deep."""
    for line in lines:
        if line.says_nothing:
            continue
        if indent in line.columns:
            return line
        if line.indent < indent:
            return None
    return None


def _is_entry(line: _Line, indent: int) -> bool:
    """Whether a list stands there, or begins there beneath its name."""
    return line.text[indent : indent + 2] == "- " or (line.bare.endswith(":") and line.columns[-1] == indent)


def _opened(tree: Tree) -> Tree:
    """The tree with what a template fills in told as such."""
    if tree.text is not None and SIGN in tree.text:
        return tree.holding(Unknown(FILLED_IN))
    if tree.is_sequence and all(each.text == SIGN for each in tree.sequence):
        # `resources:` and a `toYaml` at its own depth: a list, or entries beside it.
        return tree.holding(Unknown(FILLED_IN))
    if tree.is_sequence:
        return tree.holding([_opened(each) for each in tree.sequence])
    if not tree.is_mapping:
        return tree
    children = dict(_children(tree.mapping))
    if any(SIGN in name for name in tree.mapping):
        return tree.holding(Incomplete(children, FILLED_IN, tree))
    return tree.holding(children)


def _chosen(tree: Tree) -> Tree:
    """The tree with one unknown entry for those of a list that have one name: each stands in a branch of its own."""
    if tree.is_sequence:
        return tree.holding(_one_of_each_name(tree.sequence))
    if not tree.is_mapping:
        return tree
    inside = {name: _chosen(each) for name, each in tree.mapping.items()}
    if isinstance(tree.value, Incomplete):
        return tree.holding(Incomplete(inside, tree.value.why, tree))
    return tree.holding(inside)


def _one_of_each_name(entries: Sequence[Tree]) -> list[Tree]:
    named = Counter(each.get("name").text for each in entries)
    kept: dict[str | int, Tree] = {}
    for index, each in enumerate(entries):
        name = each.get("name").text
        if name is None or named[name] == 1:
            kept[index] = _chosen(each)
        else:
            kept.setdefault(name, each.holding(Unknown(CHOSEN)))
    return list(kept.values())


def _children(mapping: Mapping[str, Tree]) -> Iterator[tuple[str, Tree]]:
    repeated = {name for name, _, _ in getattr(mapping, "repeated", ())}
    for name, child in mapping.items():
        if SIGN not in name:
            opened = _opened(child)
            yield name, opened.holding(Unknown(CHOSEN)) if name in repeated else opened
