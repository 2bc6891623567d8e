"""Templates of Terraform, Jinja and Go: what they fill in is marked, and the rest is the script's own text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field

from nodeworthy.boot.shell.directives import Directive, directives_of, grouped
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

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
_OF_JINJA = (".j2", ".jinja", ".jinja2")
_OF_GO = (".tmpl", ".gotmpl", ".tpl", ".template", ".yaml", ".yml")
_TELLING_EXPRESSION = pattern(r"\$\{~?\s*[A-Za-z_]\w*(?:\(|\.[A-Za-z_*])")

# As people call a template's variables; a shell's have capitals more often than not. `${control-ip}` is a name for
# Terraform alone.
_BRACED = pattern(r"(?<![\\$])\$\{([a-z][A-Za-z0-9_]{0,63}(?:-[a-z][A-Za-z0-9_]{0,63}){0,4})\}")
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


def looks_like_template(text: str, name: str = "") -> bool:
    """Whether Terraform fills this text in. A plain `${NAME}` may be the shell's as well, and decides nothing."""
    if name.endswith((".tpl", ".tftpl")) or "$${" in text:
        return True
    if _TELLING_DIRECTIVE.search(text) is not None or _TELLING_EXPRESSION.search(text) is not None:
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
    return name.endswith(_OF_GO) and _LONE_GO.search(text) is not None


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
    grouped(text, found, inside_words)
    return _marked(text, found)


def without_marks(text: str) -> str:
    return text if text.isascii() else _OWN_MARKS.sub("\ufffd", text)


def shown(raw: str, filled: tuple[str, ...]) -> str:
    """As the user wrote it, with the template's own words where its marks stand."""
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
