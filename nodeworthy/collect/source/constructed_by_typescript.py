"""What a program of Pulumi's in TypeScript or JavaScript constructs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from nodeworthy.collect.source.constructed import CDK, Config, Constructed, enum_value, kind_of, value_worked_out
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place

_TOKEN = pattern(
    r"(?s)(?P<blank>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')|"
    r"(?P<number>\d[\w.]*+)|(?P<name>[A-Za-z_$][\w$]*+)|(?P<sign>=>|\?\?|\|\||&&|\?\.|\.\.\.|.)"
)
_ESCAPED = pattern(r"(?s)\\(.)")
_LITERALS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "undefined": None}
_OPENS, _CLOSES = "([{", ")]}"
_LIBRARIES = ("@pulumi/", "aws-cdk-lib", "@aws-cdk/")
# By these a cluster of the CDK's is given a chart, and objects.
_OF_A_CLUSTER = frozenset(("addHelmChart", "addManifest"))
_READS_CONFIG = frozenset(("get", "require", "getNumber", "requireNumber", "getBoolean", "requireBoolean"))
_LONGEST = 256 * 1024
_DEEPEST = 40
# No program says more than this of what it makes.
_MOST_STEPS = 100_000


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def constructed_by_typescript(text: str, shown: str, config: Config) -> list[Constructed]:
    if len(text) > _LONGEST:
        return []
    program = _Program(text, shown, config)
    return [*program.constructions(), *(program.asked_of_clusters() if "cdk" in text else ())]


class _Program:
    def __init__(self, text: str, shown: str, config: Config) -> None:
        self._shown, self._config = shown, config
        self._starts = [0, *(at + 1 for at, each in enumerate(text) if each == "\n")]
        self._tokens = list(_tokens(text))
        self._partner = dict(_partners(self._tokens))
        self._libraries = dict(self._imported())
        self._constants = self._assigned_once()
        self._deep = self._steps = 0
        # What constants come to, by where their values begin; and in how many steps.
        self._made: dict[int, tuple[Tree, int]] = {}

    def constructions(self) -> Iterator[Constructed]:
        likely = self._under_conditions()
        for at, token in enumerate(self._tokens):
            if token.text != "new" or token.kind != "name":
                continue
            path, behind = self._path(at + 1)
            library = self._libraries.get(path[0]) if path else None
            if library is None or self._sign(behind) != "(":
                continue
            begin = behind + 1
            if library[0] in CDK:  # what it is made in stands before its name
                begin = self._value(begin)[1] + 1
            name, next_ = self._value(begin)
            given = self._value(next_ + 1)[0] if self._sign(next_) == "," else Tree({}, self._place(at))
            whole = (*library, *path[1:])
            is_likely = any(begin < at < end for begin, end in likely)
            kind = kind_of(whole[0], whole[1:])
            yield Constructed(kind, name.string, given, self._place(at), is_likely, self._variable(at))

    def asked_of_clusters(self) -> Iterator[Constructed]:
        """`cluster.addHelmChart("gpu", {…})`, and `cluster.addManifest("gpu", {…}, {…})`."""
        for at, token in enumerate(self._tokens):
            if token.text not in _OF_A_CLUSTER or self._sign(at + 1) != "(" or self._text(at - 1) not in (".", "?."):
                continue
            name, here = self._value(at + 2)
            while self._sign(here) == ",":
                given, here = self._value(here + 1)
                if not given.is_unknown and (given.is_mapping or given.is_sequence):
                    yield Constructed(f"cdk.{token.text}", name.string, given, self._place(at))

    def _variable(self, at: int) -> str:
        """`const x = new …`."""
        is_one = at > 2 and self._sign(at - 1) == "=" and self._tokens[at - 2].kind == "name"
        return self._tokens[at - 2].text if is_one else ""

    # What its names stand for

    def _imported(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """`import * as eks from "@pulumi/eks"`, `import { NodeGroup } from "@pulumi/aws/eks"`, and by `require`."""
        for at, token in enumerate(self._tokens):
            if token.kind != "text" or not token.text[1:-1].startswith(_LIBRARIES):
                continue
            library = tuple(token.text[1:-1].removeprefix(_LIBRARIES[0]).removeprefix("@").split("/"))
            before = [each.text for each in self._tokens[max(0, at - 40) : at]]
            begin = max((i for i, each in enumerate(before) if each in ("import", "const")), default=None)
            if begin is None:
                continue
            words = [each for each in before[begin + 1 :] if each not in ("*", "as", "from", "=", "require", "(", ",")]
            is_parts = "{" in words
            for name in (each for each in words if each not in "{}"):
                yield name, (*library, name) if is_parts else library

    def _assigned_once(self) -> Mapping[str, int]:
        """Where the value of a constant begins."""
        found: dict[str, list[int]] = {}
        for at, token in enumerate(self._tokens[:-2]):
            if token.text in ("const", "let", "var") and self._tokens[at + 1].kind == "name":
                behind = at + 2
                while behind < len(self._tokens) and self._tokens[behind].text not in ("=", ";", "of", "in"):
                    behind += 1
                    if behind - at > 40:
                        break
                if self._sign(behind) == "=":
                    value = behind + 1 if token.text == "const" else -1
                    found.setdefault(self._tokens[at + 1].text, []).append(value)
        return {name: places[0] for name, places in found.items() if len(places) == 1 and places[0] > 0}

    def _under_conditions(self) -> list[tuple[int, int]]:
        found = []
        for at, token in enumerate(self._tokens):
            if token.text == "if" and self._sign(at + 1) == "(":
                begin = self._partner.get(at + 1, at) + 1
            elif token.text == "else" and token.kind == "name":
                begin = at + 1
            else:
                continue
            if self._sign(begin) == "{":
                found.append((begin, self._partner.get(begin, begin)))
        return found

    # Values

    def _value(self, at: int) -> tuple[Tree, int]:
        """What begins there, and where it ends: at a comma or a bracket."""
        self._steps += 1
        if self._deep > _DEEPEST or self._steps > _MOST_STEPS or at >= len(self._tokens):
            return self._unknown(at)
        self._deep += 1
        try:
            found, behind = self._simple(at)
        finally:
            self._deep -= 1
        while self._text(behind) in ("as", "!", "satisfies"):
            behind = self._end(behind)
        if self._text(behind) in ("??", "||") and (asked := self._asked_of_config(at)) is not None:
            default, behind = self._value(behind + 1)
            return self._config.value(asked, default, self._place(at)), behind
        return (found, behind) if self._ends(behind) else self._unknown(at)

    def _simple(self, at: int) -> tuple[Tree, int]:
        token, place = self._tokens[at], self._place(at)
        if token.kind == "text":
            return Tree(_ESCAPED.sub(r"\1", token.text[1:-1]), place), at + 1
        if token.kind == "number":
            written = token.text.replace("_", "")
            return Tree(int(written) if written.isdecimal() else written, place), at + 1
        if token.kind == "lines":
            begin = replace(place, column=(place.column or 1) + 1)
            return Tree(token.text[1:-1], place, inside=begin), at + 1
        if token.text == "{":
            return self._mapping(at)
        if token.text == "[":
            return self._list(at)
        if token.kind != "name" or token.text == "new":
            return self._unknown(at)
        return self._by_name(at)

    def _by_name(self, at: int) -> tuple[Tree, int]:
        place = self._place(at)
        path, behind = self._path(at)
        if len(path) == 1 and path[0] in _LITERALS:
            return Tree(_LITERALS[path[0]], place), behind
        if self._sign(behind) == "(":
            asked = self._asked_of_config(at)
            closed = self._partner.get(behind, behind) + 1
            return (
                (self._config.value(asked, None, place), closed)
                if asked
                else (value_worked_out(".".join(path), place), closed)
            )
        if path[0] in self._constants:
            if self._text(self._constants[path[0]]) == "new":
                return value_worked_out(".".join(path), place, path[0]), behind
            found = self._constant(self._constants[path[0]])
            return (found.get(*path[1:]) if len(path) > 1 else found), behind
        said = enum_value(path)
        of = path[0] if len(path) > 1 else ""
        return (Tree(said, place) if said is not None else value_worked_out(".".join(path), place, of)), behind

    def _constant(self, at: int) -> Tree:
        """Made once: what it is made of counts wherever it stands."""
        if at in self._made:
            found, steps = self._made[at]
            self._steps += steps
            return found if self._steps < _MOST_STEPS else value_worked_out("...", self._place(at))
        before = self._steps
        self._made[at] = value_worked_out("itself", self._place(at)), 0
        found, _ = self._value(at)
        self._made[at] = found, self._steps - before
        return found

    def _mapping(self, at: int) -> tuple[Tree, int]:
        """What is spread into it may say anything: then nothing of it is known."""
        found: dict[str, Tree] = {}
        end, here = self._partner.get(at, len(self._tokens)), at + 1
        is_spread = False
        while here < end:
            token, name = self._tokens[here], self._tokens[here].text
            if token.text == ",":
                here += 1
                continue
            key = _ESCAPED.sub(r"\1", name[1:-1]) if token.kind == "text" else name
            if token.kind in ("text", "name") and self._sign(here + 1) == ":":
                found[key], here = self._value(here + 2)
            elif token.kind == "name" and self._text(here + 1) in (",", "}"):
                found[key], here = self._value(here)
            else:
                is_spread = True
                here = self._end(here)
        whole = value_worked_out("...", self._place(at)) if is_spread and not found else Tree(found, self._place(at))
        return whole, end + 1

    def _list(self, at: int) -> tuple[Tree, int]:
        end, here = self._partner.get(at, len(self._tokens)), at + 1
        found = []
        while here < end:
            if self._tokens[here].text == ",":
                here += 1
            elif self._tokens[here].text == "...":
                return value_worked_out("...", self._place(at)), end + 1
            else:
                value, here = self._value(here)
                found.append(value)
        return Tree(found, self._place(at)), end + 1

    def _asked_of_config(self, at: int) -> str | None:
        """The key that `config.get("key")` asks for."""
        path, behind = self._path(at)
        is_config = len(path) == 2 and any(each in path[0].lower() for each in ("config", "cfg", "conf"))
        if not is_config or path[1] not in _READS_CONFIG or self._sign(behind) != "(":
            return None
        name = self._tokens[behind + 1] if behind + 1 < len(self._tokens) else None
        return name.text[1:-1] if name is not None and name.kind == "text" else None

    # Tokens

    def _path(self, at: int) -> tuple[tuple[str, ...], int]:
        found: list[str] = []
        while at < len(self._tokens) and self._tokens[at].kind == "name":
            found.append(self._tokens[at].text)
            at += 1
            if self._text(at) not in (".", "?."):
                break
            at += 1
        return tuple(found), at

    def _unknown(self, at: int) -> tuple[Tree, int]:
        end = self._end(at)
        shown = " ".join(each.text for each in self._tokens[at : min(end, at + 12)])
        return value_worked_out(shown, self._place(at)), end

    def _end(self, at: int) -> int:
        """At the comma, the semicolon or the bracket behind an expression."""
        while at < len(self._tokens) and not self._ends(at):
            at = self._partner.get(at, at) + 1
        return at

    def _ends(self, at: int) -> bool:
        return (
            at >= len(self._tokens)
            or (self._tokens[at].kind == "sign" and self._tokens[at].text in ",;)]}")
            or self._is_next_line(at)
        )

    def _is_next_line(self, at: int) -> bool:
        """A statement may end with its line."""
        starts = self._text(at) in ("const", "let", "var", "export", "import", "new", "if", "for", "function", "return")
        return starts and self._line(at) > self._line(at - 1)

    def _sign(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) and self._tokens[at].kind == "sign" else ""

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, self._tokens[at].at)

    def _place(self, at: int) -> Place:
        if at >= len(self._tokens):
            return Place(self._shown)
        line = self._line(at)
        return Place(self._shown, line, self._tokens[at].at - self._starts[line - 1] + 1)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        if text[at] == "`":
            end = _end_of_template(text, at)
            is_plain = "${" not in text[at:end] and '"' not in text[at:end] and "\n" not in text[at:end]
            # One that nothing is filled into is a text as any other.
            is_lines = not is_plain and "${" not in text[at:end] and "\\" not in text[at:end] and end - at > 1
            yield _Token("text" if is_plain else "lines" if is_lines else "template", text[at:end], at)
            at = end
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            return
        if found.lastgroup != "blank":
            yield _Token(str(found.lastgroup), found[0], at)
        at = found.end()


def _end_of_template(text: str, at: int) -> int:
    """The position after the second backtick; what is filled in may hold others."""
    open_, at = 0, at + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text.startswith("${", at):
            open_ += 1
            at += 1
        elif text[at] == "}" and open_:
            open_ -= 1
        elif text[at] == "`" and not open_:
            return at + 1
        at += 1
    return at


def _partners(tokens: list[_Token]) -> Iterator[tuple[int, int]]:
    """Where each bracket that is opened is closed."""
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _OPENS:
            opened.append(at)
        elif token.text in _CLOSES and opened:
            yield opened.pop(), at
    # What nobody closes goes on to the end.
    yield from ((at, len(tokens)) for at in opened)
