"""Templates of Terraform, Jinja and Go: what they fill in is marked, and the rest is the script's own text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# The directives of a template and what it fills in: of Terraform, of Jinja and of Go, each with what belongs to it.

_OPENS = pattern(r"\$\$\{|%%\{|\$\{|%\{")
_INSIDE = pattern(r"\\.|[{}\"]|\$\$\{|%%\{|\$\{|%\{", re.DOTALL)
_KEYWORD = pattern(r"%\{~?\s*+(if|else|endif|for|endfor)\b(.*?)~?\}\Z", re.DOTALL)
_GO = r"if|else[ \t]+if|else|range|with|end"
_BRACES = pattern(
    rf"\{{\{{-?\s*({_GO})\b([^{{}}]*+)\}}\}}|\{{\{{[^{{}}]*+\}}\}}|\{{%[-+]?\s*(\w+)([^%]*+)%\}}|(?<!\$)\{{#"
)
_END_OF_RAW = pattern(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
# Of a name alone: what else is negated may be one half of the question.
_NEGATED = pattern(r"(?:!\s*|not\s+)([\w.$\[\]\"']+)")
# Of a directive's own ends, those behind which the line's end is left out.
_TAKE_THE_END = ("-}}", "~}", "%}")
_BEGIN = ("{{", "%{", "{%")
# How many of them are looked over.
_LINES_ABOVE = 16
_LINE_END = pattern(r"[ \t]*\r?\n")
# What is opened so often without an end is no template.
_PATIENCE = 3
# What these hold is there under some condition that nobody knows: a macro has to be called.
_PERHAPS = {"range": "for", "with": "if", "macro": "if", "call": "if", "filter": "if"}
_ENDS = {"endmacro": "endif", "endcall": "endif", "endfilter": "endif", "elseif": "elif", "elsif": "elif"}
_KNOWN = frozenset(("if", "elif", "else", "endif", "for", "endfor", "end", *_PERHAPS, *_ENDS))
_SILENT = frozenset(("set", "endset", "block", "endblock", "autoescape", "endautoescape", "import", "from", "raw"))


@dataclass(slots=True)
class Directive:
    """A directive, an escape, or what is filled in."""

    start: int
    end: int
    # if, elif, else, endif, for, endfor; empty for an interpolation or an escape.
    keyword: str = ""
    # What it asks, and the same as it is told: `%{ if gpu }`.
    expression: str = ""
    told: str = ""
    alone: bool = False
    # Of the first of a group that does not stand on lines of its own: where its last ends.
    until: int = 0
    # What it is for the shell, where that is more than its keyword; nothing of it stays where this is empty.
    marks: tuple[str, ...] | None = None

    @property
    def positive(self) -> tuple[str, bool]:
        """The question without its `not`, and which answer is asked for: `!gpu` and `gpu` ask the same."""
        asked = " ".join(self.expression.split())
        found = _NEGATED.fullmatch(asked)
        return (self.told, True) if found is None else (self.told.replace(asked, found[1], 1), False)


def directives_of(text: str, *, jinja: bool = False) -> list[Directive]:
    found = list(_in_braces(text) if jinja else _of_terraform(text))
    _lines_of_their_own(text, found)
    return found


def _of_terraform(text: str) -> Iterator[Directive]:
    at, failures = 0, 0
    while failures < _PATIENCE and (opens := _OPENS.search(text, at)) is not None:
        start, at = opens.span()
        if len(opens.group()) == 3:
            yield Directive(start, at)
            continue
        end = _end(text, at)
        if end < 0:
            failures += 1
            continue
        at = end
        keyword = _KEYWORD.match(text[start:end])
        if keyword is None:
            yield Directive(start, end)
        else:
            asked = " ".join(keyword[2].split())
            told = f"%{{ {keyword[1]} {asked} }}" if asked else f"%{{ {keyword[1]} }}"
            yield Directive(start, end, keyword[1], keyword[2].strip(), told)


def _in_braces(text: str) -> Iterator[Directive]:
    at, last_comment = 0, text.rfind("#}")
    while (found := _BRACES.search(text, at)) is not None:
        start, at = found.span()
        if found.group() == "{#":
            if at <= last_comment:
                at = text.index("#}", at) + 2
                yield Directive(start, at, marks=())
            continue
        keyword = " ".join((found[1] or found[3] or "").split())
        if found[1] or keyword in _KNOWN:
            yield _steering(found, keyword)
        else:
            is_silent = keyword in _SILENT or keyword == "endraw" or text.startswith(("{{/*", "{{- /*"), start)
            yield Directive(start, at, marks=() if is_silent else None)
        if keyword == "raw":
            closed = _END_OF_RAW.search(text, at)
            at = closed.start() if closed is not None else len(text)


def _steering(found: re.Match[str], keyword: str) -> Directive:
    expression = (found[2] or found[4] or "").strip(" \t\n-+")
    open_, close = ("{{", "}}") if found[1] else ("{%", "%}")
    kind = "elif" if keyword == "else if" else _PERHAPS.get(keyword, _ENDS.get(keyword, keyword))
    word = "if" if kind == "elif" else keyword
    asked = " ".join(expression.split())
    told = f"{open_} {word} {asked} {close}" if asked else f"{open_} {word} {close}"
    return Directive(*found.span(), kind, expression, told)


def _end(text: str, at: int) -> int:
    """The offset behind the brace that closes an expression, or -1."""
    inside = ["expression"]
    while (found := _INSIDE.search(text, at)) is not None:
        token, at = found.group(), found.end()
        quoted = inside[-1] == "string"
        if token == '"':
            if quoted:
                inside.pop()
            else:
                inside.append("string")
        elif token in ("${", "%{") or (token == "{" and not quoted):
            inside.append("expression")
        elif token == "}" and not quoted:
            inside.pop()
            if not inside:
                return at
    return -1


def _lines_of_their_own(text: str, found: Sequence[Directive]) -> None:
    """A directive is alone where nothing but directives stands beside it, and no command goes on over its line."""
    at = 0
    while at < len(found):
        first = last = at
        while last + 1 < len(found) and not text[found[last].end : found[last + 1].start].strip(" \t"):
            last += 1
        begins = text.rfind("\n", 0, found[first].start) + 1
        ends = text.find("\n", found[last].end)
        alone = not text[begins : found[first].start].strip(" \t") and not text[
            found[last].end : ends if ends >= 0 else len(text)
        ].strip(" \t\r")
        if alone and all(each.keyword or each.marks == () for each in found[first : last + 1]):
            goes_on = _goes_on(text, begins)
            for each in found[first : last + 1]:
                each.alone = bool(each.keyword) and not goes_on
        at = last + 1


def _goes_on(text: str, begins: int) -> bool:
    """Whether the line before ends with a backslash: what stands here is a part of its command. Lines of directives
    that leave no line behind are looked over."""
    end = begins - 1
    for _ in range(_LINES_ABOVE):
        above = text.rfind("\n", 0, max(end, 0)) + 1
        line = text[above : max(end, 0)].strip()
        if not (line.startswith(_BEGIN) and line.endswith(_TAKE_THE_END)):
            break
        end = above - 1
    at = end
    while at > 0 and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


def group_directives(text: str, found: list[Directive], inside_words: Collection[int] = ()) -> None:
    """Directives that belong together stand all on lines of their own, or what they hold is filled in as a whole;
    so is what stands in the middle of a word."""
    for each in found:
        each.alone = each.alone and each.start not in inside_words
    open_groups: list[list[Directive]] = []
    for each in found:
        if each.keyword in ("if", "for"):
            open_groups.append([each])
        elif each.keyword and open_groups:
            open_groups[-1].append(each)
            if each.keyword not in ("else", "elif"):
                _decide(text, open_groups.pop(), inside_words)
        elif each.keyword:
            # It belongs to what stands in another part: nothing of it is in this one.
            each.alone, each.marks = False, ()
    for group in reversed(open_groups):
        _left_open(text, found, group)


def _left_open(text: str, found: list[Directive], group: list[Directive]) -> None:
    """What ends it stands in another part, or nowhere: all that follows is under it."""
    if not all(each.alone for each in group):
        for each in group:
            each.alone, each.marks = False, ()
        return
    end = Directive(len(text), len(text), f"end{group[0].keyword}", alone=True)
    found.append(end)
    _decide(text, [*group, end], ())


def _decide(text: str, group: Sequence[Directive], inside_words: Collection[int]) -> None:
    first, last = group[0], group[-1]
    if last.keyword == "end":
        last.keyword = f"end{first.keyword}"
    fits = last.keyword == f"end{first.keyword}"
    torn = any(each.start in inside_words for each in group)
    if not fits or torn or not (all(each.alone for each in group) or _fills_its_lines(text, group)):
        first.until = _end_of_a_filling(text, first, last)
        for each in group:
            each.alone = False
        return
    for each in group:
        each.alone = True
    ends = [last.keyword]
    for each in group[1:-1]:
        if first.keyword == "for":
            each.marks, ends = ("endfor", "if"), ["endif"]
            each.told = f"not {first.told}"
        elif each.keyword == "elif":
            each.marks = ("else", "if")
            ends.append("endif")
    last.marks = tuple(ends)


def _end_of_a_filling(text: str, first: Directive, last: Directive) -> int:
    """Amid a command that goes on over its lines, a directive that takes the line's end with it leaves it whole:
    `{{ end -}}`, `%{ endif ~}`, and each of Jinja's, as Ansible and cloud-init fill them in."""
    is_amid = _goes_on(text, text.rfind("\n", 0, first.start) + 1)
    begins = text.rfind("\n", 0, last.start) + 1
    if not is_amid or text[begins : last.start].strip(" \t") or not text[last.start : last.end].endswith(_TAKE_THE_END):
        return last.end
    found = _LINE_END.match(text, last.end)
    return found.end() if found is not None else last.end


def _fills_its_lines(text: str, group: Sequence[Directive]) -> bool:
    """`%{ if gpu }modprobe nvidia%{ endif }`: from the beginning of a line to the end of one, and no word between."""
    begins = text.rfind("\n", 0, group[0].start) + 1
    ends = text.find("\n", group[-1].end)
    before, behind = text[begins : group[0].start], text[group[-1].end : ends if ends >= 0 else len(text)]
    return not before.strip(" \t") and not behind.strip(" \t\r") and not _goes_on(text, begins)


# Marks: no script holds these characters, and where one does they are taken out first.
FILLED, ENDS, DIRECTIVE = "\ue000", "\ue001", "\ue002"
IF, ELSE, ENDIF, FOR, ENDFOR = (DIRECTIVE + each for each in "iedfr")

_OWN_MARKS = pattern("[\ue000-\ue002]")
_MARKS = {"if": IF, "else": ELSE, "endif": ENDIF, "for": FOR, "endfor": ENDFOR}
_SHOWN = {mark: f"%{{ {keyword} }}" for keyword, mark in _MARKS.items()}
_MARK = pattern(f"{FILLED}(\\d+){ENDS}|{DIRECTIVE}(.)")
# Each begins with what it is found by, and is looked for alone: together they take three times as long.
_TELLING_DIRECTIVE = pattern(r"%\{~?\s*(?:if|for)\s")
# An index tells nothing: the shell has arrays as well.
_LONE_JINJA = pattern(r"(?m)^[ \t]*\{%[-+]?[ \t]*(?:if|for|set|raw|macro|include|block)\b[^\n%]*%\}")
_LONE_GO = pattern(r"(?m)^[ \t]*\{\{-?[ \t]*(?:if|range|with)\b[^\n{}]*\}\}")
# Alone on a line both, as no program's own text has them: a script of whatever name.
_LONE_GO_END = pattern(r"(?m)^[ \t]*\{\{-?[ \t]*end[ \t]*-?\}\}[ \t\r]*$")
_OF_JINJA = (".j2", ".jinja", ".jinja2")
_OF_GO = (".tmpl", ".gotmpl", ".tpl", ".template", ".yaml", ".yml")
_TELLING_EXPRESSION = pattern(r"\$\{~?\s*[A-Za-z_]\w*(?:\(|\.[A-Za-z_*])")

# As people call a template's variables; a shell's have capitals more often than not. `${control-ip}` is a name for
# Terraform alone. What it may not stand behind is looked at last: by its first letters it is found quickly.
_BRACED = pattern(r"\$\{(?<![\\$]\$\{)([a-z][A-Za-z0-9_]{0,63}(?:-[a-z][A-Za-z0-9_]{0,63}){0,4})\}")
# Where this stands, variables may come from somewhere else.
_FROM_ELSEWHERE = pattern(
    r"(?m)^[ \t]{0,64}(?:source|\.)[ \t]{1,8}(?![\"']?/etc/)"
    r"|\beval[ \t](?![\"']?[$`]\(?ssh-agent)|\benvsubst\b|\bset[ \t]-a\b"
)
_EVERYBODYS = frozenset(("http_proxy", "https_proxy", "no_proxy", "ftp_proxy", "all_proxy"))
# What it writes as it stands may be a program's own text, with braces of that program.
_DOCUMENT = pattern(r"<<-?[ \t]{0,4}(?:'(\w{1,64})'|\"(\w{1,64})\"|\\(\w{1,64}))")
_SETS = pattern(
    r"(?<![\w-])([A-Za-z_]\w{0,63})(?:\[[^\]\n]{0,64}\])?\+?="
    r"|\b(?:for|select|local|declare|typeset)[ \t]([\w \t-]{0,200})"
    r"|\b(?:read|mapfile|readarray|getopts|printf[ \t]{1,4}-v)\b([^\n;|&<]{0,200})"
)
_NAME = pattern(r"[A-Za-z_]\w*")
# A line of YAML that is nothing but a variable: no YAML has one.
_ALONE = pattern(r"(?m)^[ \t]{0,40}\$\{[A-Za-z_]\w{0,99}\}[ \t]{0,40}$")


def looks_like_template(text: str, name: str = "") -> bool:
    """Whether Terraform fills this text in. A plain `${NAME}` may be the shell's as well, and decides nothing."""
    if name.endswith((".tpl", ".tftpl")) or "$${" in text:
        return True
    if _TELLING_DIRECTIVE.search(text) is not None or _TELLING_EXPRESSION.search(text) is not None:
        return True
    if text.startswith("#cloud-config") and _ALONE.search(text) is not None:
        return True
    return _leaves_its_braces_to_somebody(text)


def _leaves_its_braces_to_somebody(text: str) -> bool:
    """Whether everything in braces waits for somebody to fill it in: two names or more, none of which the text sets.
    Whoever writes for templatefile keeps the script's own variables out of braces, because Terraform takes them all."""
    names = _BRACED.findall(text)
    if len(names) < 2 or text.count("${") != len(names) or _FROM_ELSEWHERE.search(text) is not None:
        return False
    told = set(_BRACED.findall(_without_documents(text))) - _EVERYBODYS
    return len(told) > 1 and not all("-" in each for each in told) and _set_in(text).isdisjoint(names)


def _set_in(text: str) -> set[str]:
    return {name for found in _SETS.finditer(text) for name in _NAME.findall("".join(filter(None, found.groups())))}


def _without_documents(text: str) -> str:
    kept, end = [], ""
    for line in text.splitlines():
        found = None if end else _DOCUMENT.search(line)
        if not end:
            kept.append(line)
        elif line.strip() == end:
            end = ""
        if found is not None:
            end = next(filter(None, found.groups()))
    return "\n".join(kept)


def looks_like_braces(text: str, name: str = "") -> bool:
    """Whether Jinja or Go fills this text in. `{{ … }}` alone may be an argument: docker and kubectl take some."""
    if ("{%" not in text and "{{" not in text) or _TELLING_DIRECTIVE.search(text) is not None:
        return False
    if _LONE_JINJA.search(text) is not None or (name.endswith(_OF_JINJA) and "{{" in text):
        return True
    return _LONE_GO.search(text) is not None and (name.endswith(_OF_GO) or _LONE_GO_END.search(text) is not None)


@dataclass
class Template:
    """The text with marks in it, and what each of them stands for."""

    text: str
    original: str
    filled: tuple[str, ...] = ()
    # The directives that stand on lines of their own, by the offset of their mark.
    directives: dict[int, Directive] = field(default_factory=dict)
    # Behind which offsets of the text how much of the original is missing.
    origins: tuple[tuple[int, int], ...] = ()


def template_of(text: str, *, jinja: bool = False, inside_words: Collection[int] = ()) -> Template:
    """`inside_words` are the offsets of directives that stand in the middle of a quoted word."""
    text = without_marks(text)
    found = directives_of(text, jinja=jinja)
    group_directives(text, found, inside_words)
    return _marked(text, found)


def without_marks(text: str) -> str:
    return text if text.isascii() else _OWN_MARKS.sub("\ufffd", text)


def template_text(raw: str, filled: tuple[str, ...]) -> str:
    """The text as the user wrote it, with the template's own words in place of its marks."""
    if FILLED not in raw and DIRECTIVE not in raw:
        return raw
    return _MARK.sub(lambda found: filled[int(found[1])] if found[1] else _SHOWN.get(found[0], ""), raw)


def _marked(text: str, found: Sequence[Directive]) -> Template:
    pieces: list[str] = []
    filled: list[str] = []
    directives: dict[int, Directive] = {}
    origins: list[tuple[int, int]] = []
    at = length = 0

    def add(piece: str) -> None:
        nonlocal length
        pieces.append(piece)
        length += len(piece)

    for each in found:
        if each.start < at:
            continue
        add(text[at : each.start])
        at = each.until or each.end
        raw = text[each.start : at]
        if each.alone:
            # Of several on one line each stands on its own; their marks are shorter than they.
            before = "".join(pieces[-4:]).rstrip(" \t")[-1:]
            add("" if before in ("", "\n") else "\n")
            for index, keyword in enumerate(each.marks or (each.keyword,)):
                add("\n" if index else "")
                directives[length] = each
                add(_MARKS[keyword])
            add("" if text[at : at + 1] in ("\n", "\r", "") else "\n")
        elif each.marks == ():
            pass
        elif raw in ("$${", "%%{"):
            add(raw[1:])
        else:
            add(f"{FILLED}{len(filled)}{ENDS}")
            filled.append(raw)
        origins.append((length, at - length))
    add(text[at:])
    return Template("".join(pieces), text, tuple(filled), directives, tuple(origins))
