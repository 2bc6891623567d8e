"""What a program in TypeScript or JavaScript gives to machines as their user data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest

from nodeworthy.collect.source.user_data_in_programs import GivenText
from nodeworthy.collect.source.woven_text import Woven, hole
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_ADDS = pattern(r"(?<![\w.$!])([\w.$!]{1,120})\.(?:addCommands|addUserData)\(", words=("addCommands", "addUserData"))
_CALLED_SO = pattern(
    r"(?i)(?<![\w.])[\"']?(?:\w{0,30}user_?data\w{0,20}|custom_?data|startup_?script|metadataStartupScript|"
    r"startup-script)[\"']?[ \t]*(?::[ \t]*\w{1,20}[ \t]*)?[:=](?!=)[ \t]*",
)
# Of Pulumi's package for commands: what it runs when the resource is made.
_RUN = pattern(r"(?<![\w$])(remote|local)\.Command\(", words=(".Command(",))
_CREATES = pattern(r"(?<![\w.$])create[ \t]*:[ \t]*")
_CUSTOM = pattern(r"UserData\.custom\([ \t\n]*")
# What a text goes through on its way.
_THROUGH = pattern(
    r"(?:await[ \t]+)?(?:Buffer\.from\(|(?:pulumi\.|\$)interpolate(?=[`])|dedent(?=[`(])\(?|"
    r"(?:ec2\.)?UserData\.custom\(|(?:cdk\.)?Fn\.(?:base64|sub)\(|btoa\(|String\.raw(?=[`]))[ \t\n]*"
)
_NAME = pattern(r"(?<![\w$])[A-Za-z_$][\w$]{0,80}(?=[ \t]*[,;)}\n]|\.trim)")
_BLANK = pattern(r"(?:[ \t\r\n]++|//[^\n]*+)*+")
_ESCAPED = pattern(r"\\(\r?\n|[\s\S])")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
# So much of one text nobody writes.
_LONGEST = 64 * 1024
_MOST = 400
_MOST_GIVEN = 64


def given_by_typescript(text: str, shown: str) -> list[GivenText]:
    reader = _Reader(text, shown)
    by_receiver: dict[str, list[Woven]] = {}
    for count, found in enumerate(_ADDS.finditer(text)):
        if count >= _MOST_GIVEN:
            break
        by_receiver.setdefault(found[1].removesuffix(".userData"), []).extend(reader.arguments(found.end(), ")"))
    whole: dict[Place, GivenText] = {}
    for begin in reader.named():
        told = reader.text(begin)
        if told is not None:
            whole.setdefault(told.place, GivenText((told,), is_whole=True))
    whole |= {each.texts[0].place: each for each in reader.commands()}
    return [*(GivenText(tuple(texts), is_whole=False) for texts in by_receiver.values() if texts), *whole.values()]


class _Reader:
    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def named(self) -> Iterator[int]:
        """Where something begins that is called like user data, or is some to CDK."""
        for kind in (_CALLED_SO, _CUSTOM):
            for count, found in enumerate(kind.finditer(self._text)):
                if count >= _MOST_GIVEN:
                    break
                yield found.end()

    def commands(self) -> Iterator[GivenText]:
        """Each `create` that stands before the next command does."""
        made = list(islice(_RUN.finditer(self._text), _MOST_GIVEN))
        for found, behind in zip_longest(made, made[1:]):
            end = behind.start() if behind is not None else len(self._text)
            creates = _CREATES.search(self._text, found.end(), end)
            told = self.text(creates.end()) if creates is not None else None
            if told is not None:
                yield GivenText((told,), is_whole=True, command=found[1])

    def text(self, at: int, depth: int = 0) -> Woven | None:
        """None where no text that is written down here begins."""
        while (through := _THROUGH.match(self._text, at)) is not None:
            at = through.end()
        if self._text[at : at + 1] == "[":
            lines = list(self.arguments(at + 1, "]"))
            return Woven("\n".join(each.text for each in lines), lines[0].place, False) if lines else None
        if self._text[at : at + 1] in ("'", '"', "`"):
            return self._sum(at)[0]
        named = _NAME.match(self._text, at)
        return self._assigned(named[0], depth) if named is not None and depth < 4 else None

    def arguments(self, at: int, end: str) -> Iterator[Woven]:
        """What stands between brackets: texts, and of all else that something is there."""
        for _ in range(_MOST):
            at = self._skipped(at)
            if at >= len(self._text) or self._text[at] == end:
                return
            if self._text[at] in "'\"`":
                told, at = self._sum(at)
                yield told
            elif self._text.startswith("...", at):
                yield from self._spread(at + 3)
                at = self._past(at, end)
            elif self._text[at] != ",":
                stop = self._past(at, end)
                yield Woven(hole(self._text[at : min(stop, at + 60)]), self._place(at), False)
                at = stop
            if self._text[at : at + 1] == ",":
                at += 1

    def _spread(self, at: int) -> Iterator[Woven]:
        named = _NAME.match(self._text, at)
        begin = self._value_of(named[0]) if named is not None else None
        if begin is not None and self._text[begin : begin + 1] == "[":
            yield from self.arguments(begin + 1, "]")
        else:
            yield Woven(hole("texts"), self._place(at), False)

    def _assigned(self, name: str, depth: int) -> Woven | None:
        begin = self._value_of(name)
        return self.text(begin, depth + 1) if begin is not None else None

    def _value_of(self, name: str) -> int | None:
        found = re.search(
            rf"(?:const|let|var|readonly)[ \t]+{re.escape(name)}[ \t]*(?::[ \t]*[\w\[\]<>]{{1,40}}[ \t]*)?=\s{{0,40}}",
            self._text,
        )
        return found.end() if found is not None else None

    def _sum(self, at: int) -> tuple[Woven, int]:
        """`'a' + b + 'c'`, and where it ends."""
        place, parts, quote = self._place(at), [], self._text[at]
        for _ in range(_MOST):
            if self._text[at : at + 1] in ("'", '"', "`") and at < len(self._text):
                told, at = self._literal(at)
            else:
                stop = self._past(at, ")]+")
                told, at = hole(self._text[at : min(stop, at + 60)]), stop
            parts.append(told)
            behind = self._skipped(at)
            if self._text[behind : behind + 1] != "+":
                break
            at = self._skipped(behind + 1)
        return Woven("".join(parts), place, quote == "`" and len(parts) == 1), at

    def _literal(self, at: int) -> tuple[str, int]:
        quote, start, pieces = self._text[at], at + 1, []
        at = start
        end = min(len(self._text), at + _LONGEST)
        while at < end and self._text[at] != quote:
            if self._text[at] == "\\":
                at += 2
            elif quote == "`" and self._text.startswith("${", at):
                pieces.append(_unescaped(self._text[start:at]))
                stop = self._closed(at + 2)
                pieces.append(hole(self._text[at + 2 : min(stop, at + 62)]))
                start = at = stop + 1
            else:
                at += 1
        pieces.append(_unescaped(self._text[start:at]))
        return "".join(pieces), at + 1

    def _closed(self, at: int) -> int:
        """Where the brace ends that is open here."""
        open_, end = 1, min(len(self._text), at + 4000)
        while at < end:
            open_ += {"{": 1, "}": -1}.get(self._text[at], 0)
            if not open_:
                return at
            at += 1
        return at

    def _past(self, at: int, ends: str) -> int:
        """The position after an expression: the comma or the bracket that ends it."""
        open_, end = 0, min(len(self._text), at + 8000)
        while at < end:
            letter = self._text[at]
            if not open_ and (letter in ends or letter == ","):
                return at
            if letter in "'\"`":
                _, at = self._literal(at)
                continue
            open_ += 1 if letter in "([{" else -1 if letter in ")]}" else 0
            if open_ < 0:
                return at
            at += 1
        return at

    def _skipped(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found is not None else at

    def _place(self, at: int) -> Place:
        begin = self._text.rfind("\n", 0, at)
        return Place(self._shown, self._text.count("\n", 0, at) + 1, at - begin)


def _unescaped(written: str) -> str:
    return _ESCAPED.sub(lambda each: _LETTERS.get(each[1], "" if each[1].strip("\r") == "\n" else each[1]), written)
