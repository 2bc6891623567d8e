"""What a template fills in, hidden from a reader of YAML or TOML that could not make sense of it.

Every `${…}` is replaced by a word of the same length, so that no line and no column moves, and found again in what
was read. A directive that stands alone on its line becomes a comment, or nothing where that could end a block.
"""

from __future__ import annotations

import re

from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# Letters for private use: no document means anything by them. A directive that stands alone becomes a comment.
_WORD, _COMMENT, _REST, _NUMBERS = "\ue000", "\ue001", "\uf8ff", 0xE002
_MOST = 0xF8FE - _NUMBERS
# Longer than any expression that somebody writes into a template.
_LONGEST = 4000
_LONGEST_LINE = 500
_UNCLOSED = 50

_TERRAFORM = pattern(r"\$\$\{|%%\{|\$\{|%\{")
_JINJA = pattern(r"\{\{|\{%|\{#")
# Terraform fills in first, and cloud-init what that leaves.
_BOTH = pattern(r"\$\$\{|%%\{|\$\{|%\{|\{\{|\{%|\{#")
# Names in braces, with filters or without: what cloud-init leaves as it is, and Ansible or Jinja would fill in. Formats
# of Go begin with a dot, or with a word of its own.
_NAMED = r"\{\{-?\s*(?!(?:else|end|template|define|block|break|continue)\b)[A-Za-z_][\w.]*\s*(?:\|[^{}\n]*)?-?\}\}"
_NAMES = pattern(_NAMED)
_TERRAFORM_OR_NAMES = pattern(rf"\$\$\{{|%%\{{|\$\{{|%\{{|{_NAMED}")
_GO_DIRECTIVE = pattern(r"\{\{-?\s*(?:if|else|end|range|with|/\*)(?!\w)")
_BRACES = pattern(r"[{}]")
_CLOSES = {"{{": "}}", "{%": "%}", "{#": "#}"}
_HIDDEN = pattern(f"#?[{_WORD}{_COMMENT}](?P<number>[^\n])(?P<rest>{_REST}*)")


@dataclass
class Fillings:
    jinja: bool = False
    # Beside jinja: Terraform, too.
    terraform: bool = False
    # Neither: cloud-init fills in nothing, and what stands in braces waits for somebody else.
    names: bool = False
    raws: list[str] = field(default_factory=list)
    # Expressions that never end; after some of these, nothing more is looked for.
    unclosed: int = 0

    def hide(self, text: str) -> str:
        pieces: list[str] = []
        end = 0
        for found in self._pattern.finditer(text):
            if found.start() < end:
                continue
            closed = self._end(text, found)
            pieces += [text[end : found.start()], self._hidden(text, found.start(), closed)]
            end = closed
        return "".join(pieces) + text[end:]

    @property
    def _pattern(self) -> re.Pattern[str]:
        if self.jinja:
            return _BOTH if self.terraform else _JINJA
        if self.names:
            return _TERRAFORM_OR_NAMES if self.terraform else _NAMES
        return _TERRAFORM

    def shown(self, text: str) -> str:
        """The text as it was written; for a shell parser that knows templates."""
        return _HIDDEN.sub(self._raw, text) if self.raws else text

    def text(self, text: str) -> Text:
        """The text with a hole for everything that is filled in."""
        if not self.raws:
            return Text.of(text)
        pieces: list[Piece] = []
        end = 0
        for found in _HIDDEN.finditer(text):
            pieces += [text[end : found.start()], self._piece(self._raw(found))]
            end = found.end()
        return Text.of(*pieces, text[end:])

    def _end(self, text: str, found: re.Match[str]) -> int:
        """The position after the closing brace. An escape, or a brace that is never closed, ends after its own
        letters."""
        if found[0] in ("$${", "%%{"):
            return found.end()
        if found[0].endswith("}}"):
            return found.end()
        if found[0] in _CLOSES:
            closed = text.find(_CLOSES[found[0]], found.end(), found.end() + _LONGEST)
            return closed + 2 if closed >= 0 else found.end()
        if self.unclosed > _UNCLOSED:
            return found.end()
        depth = 1
        for brace in _BRACES.finditer(text, found.end(), found.end() + _LONGEST):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return brace.end()
        self.unclosed += 1
        return found.end()

    def _hidden(self, text: str, start: int, end: int) -> str:
        raw = text[start:end]
        if len(self.raws) >= _MOST or len(raw) < 3 or "\n" in raw:
            return raw
        self.raws.append(raw)
        number = chr(_NUMBERS + len(self.raws) - 1)
        steers = raw[:2] in ("%{", "{%", "{#") or _GO_DIRECTIVE.match(raw) is not None
        if steers and _is_around_its_line(text, start, end):
            return ""
        if steers and _is_alone(text, start, end):
            return f"#{_COMMENT}{number}{_REST * (len(raw) - 3)}" if _is_inside(text, start) else ""
        return f"{_WORD}{number}{_REST * (len(raw) - 2)}"

    def _raw(self, found: re.Match[str]) -> str:
        index = ord(found["number"]) - _NUMBERS
        raw = self.raws[index] if 0 <= index < len(self.raws) else found[0]
        return f"#{raw}" if found[0].startswith(f"#{_WORD}") else raw

    def _piece(self, raw: str) -> Piece:
        if raw in ("$${", "%%{"):
            return raw[1:]
        # cloud-init itself only behind `## template: jinja`; Ansible and Go have the same braces.
        why = "a template fills it in" if raw[:2] in _CLOSES else "Terraform fills it in"
        if self.names and raw[:2] in _CLOSES:
            left = f"without `## template: jinja` cloud-init leaves {raw} as it is"
            why = f"{left}, and what fills it in before is not known"
        return Hole(raw, why)


def _is_alone(text: str, start: int, end: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    after = text.find("\n", end)
    return not line.strip() and not text[end : after if after >= 0 else None].strip()


def _is_around_its_line(text: str, start: int, end: int) -> bool:
    """`{{ if .Proxy }}- export http_proxy={{ .Proxy }}{{ end }}`: the line is there, or it is not."""
    begin, after = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line = text[begin : after if after >= 0 else None]
    if len(line) > _LONGEST_LINE or (line[: start - begin].strip() and line[end - begin :].strip()):
        return False
    found = list(_GO_DIRECTIVE.finditer(line))
    words = [each[0].strip("{- ") for each in found]
    return words[1:] == ["end"] and words[0] in ("if", "with") and not line[: found[0].start()].strip()


def _is_inside(text: str, start: int) -> bool:
    """Whether a directive is indented as far as the block above: it may be part of that, which it must not end."""
    begin = text.rfind("\n", 0, start) + 1
    above = text[max(0, begin - _LONGEST) : begin].rstrip().rsplit("\n", 1)[-1]
    if above.rstrip("-+").endswith(("|", ">")):
        return start > begin
    return 0 < len(above) - len(above.lstrip()) <= start - begin
