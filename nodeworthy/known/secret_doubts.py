"""What may be a secret: too little for a finding, and enough to show it to nobody.

A plain word behind `token:`, a scalar folded over several lines, a cookie, a signature in a URL, the id of a key. All
of a value is meant: to hide half of it is to show the other half. Quotes, brackets and commas around it never are: what
could be parsed before can be parsed afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.known.secret_names import (
    Holds,
    is_mixed,
    may_be_secret,
    may_hold,
    may_hold_several,
    table,
    word_in_name,
)
from nodeworthy.known.secrets import by_form
from nodeworthy.known.secrets_by_name import (
    VALUE,
    WORDS,
    Found,
    behind,
    by_words,
    group_of,
    is_prose,
)
from nodeworthy.patterns import pattern

_MORE_WORDS = ("credential", "auth", "pw", "psk", "cookie", "sessionid", "session_id", "string", "binary", "passcode")
_FAR = 64 * 1024
_LONG = 8 * 1024
_LINES = 400
_LINE = 2000

_BOOTSTRAP_TOKEN = pattern(r"(?<![\w.])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.])")
_TOKEN_IN_URL = pattern(r"(?<=://)(?P<value>[^\s/:@\"'<>?#]{12,4096})@")
_AUTHORIZATION = pattern(r"(?i)\bbearer +(?P<value>\w[\w+/=.~-]{7,4096})")
_COOKIE = pattern(r"[ \t](?:-b|--cookie)[ \t=]{0,4}[\"']?(?P<value>[^\s\"'`|&]{1,4096}=[^\s\"'`|&]{1,4096})")
# A line may end wherever a space is: YAML folds so.
_OF_A_KEY = r"[A-Z0-9\s\\]{1,120}?PRIVATE[\s\\]{1,80}KEY(?:[\s\\]{1,80}BLOCK)?-----"
_KEY_BEGINS = pattern(rf"-----BEGIN{_OF_A_KEY}(?=[ \t]*(?:\r?\n|\\{{1,4}}[nr]))")
_KEY_ENDS = pattern(rf"-----END{_OF_A_KEY}")
# A line of a key, or of its headers, where it was cut before its end.
_KEY_LINE = pattern(r"[^\S\n]*+(?:(?:[A-Za-z0-9+/=]{1,200}|[A-Z][A-Za-z-]{1,20}: [^\n]{0,200})[^\S\n]*+)?(?:\n|\\n|\Z)")

_BELOW_A_FLAG = pattern(r"(?P<by>\n)(?!-)" + VALUE)
_TIGHT = pattern(r"(?P<by>:)(?!//)" + VALUE)
_TAG = pattern(r"(?P<by>>)(?P<bare>[^<\n]{1,4096})(?P<escaped>(?!))?(?P<double>(?!))?(?P<single>(?!))?(?=</)")
_ASSIGNS = pattern(r"\\?[\"']?[ \t]{0,8}[:=][ \t]{0,8}")
_BLOCK = pattern(r"(?:![\w!:/.-]{1,60}[ \t]+)?[|>][-+0-9]{0,3}[ \t]*(?:#[^\n]{0,200})?\n")
_ENDS_A_LINE = pattern(r"[ \t]*(?:#[^\n]{0,200})?\n")
_ITEM = pattern(
    r"(?<![ \t])[ \t]*+-[ \t]+(?P<quote>[\"']?)(?P<value>[^\n]{1,2000}?)(?P=quote)(?<![ \t])[ \t]*+(?:#[^\n]*)?$",
    re.MULTILINE,
)
_MAPPING = pattern(r"(?<![ \t])[ \t]*+(?:-[ \t]+)?[\"']?[\w./-]{1,80}[\"']?[ \t]*:(?:[ \t]|$)", re.MULTILINE)
_QUOTED = pattern(r"\"(?P<double>(?:[^\"\\\n]|\\.){0,4096}+)\"|'(?P<single>[^'\n]{0,4096}+)'")
_IS_A_KEY = pattern(r"[ \t]*[:=]")
_IN_BRACKETS = pattern(r"\"(?P<double>[^\"\n]{1,4096})\"|'(?P<single>[^'\n]{1,4096})'|(?P<bare>[^\s,\[\]\"'{}]+)")
_ENDS_A_HEADER = pattern(r"[\"'`]|\\[nr\"]")
_BRACKETS = pattern(r"[\[\]{}]")
_DEEPEST = 16
_OPENS = {")": "(", "]": "[", "}": "{"}
_GOES_ON = pattern(r",[ \t]|[}\]]|\\n")


def doubtful_secrets(text: str) -> Iterator[Found]:
    """What may be a secret, beside what certainly is one."""
    found = [*by_form(text, doubtful=True), *_bootstrap_tokens(text), *_of_urls(text), *_of_curl(text)]
    found += [*_keys(text), *_authorizations(text), *_of_tables(text), *_of_blocks(text)]
    yield from ((start, end, what, "") for start, end, what in found)
    yield from by_words(text, (*WORDS, *_MORE_WORDS), _doubts_by_name)


_Placed = Iterator[tuple[int, int, str]]


def _bootstrap_tokens(text: str) -> _Placed:
    if "." in text:
        yield from (
            (*each.span(), "a bootstrap token") for each in _BOOTSTRAP_TOKEN.finditer(text) if is_mixed(each[0])
        )


def _of_urls(text: str) -> _Placed:
    """`https://TOKEN@host`; a user's name is no token."""
    start = text.find("://")
    while start >= 0:
        found = _TOKEN_IN_URL.match(text, start + 3)
        if found is not None and is_mixed(found["value"]) and may_be_secret(found["value"], Holds.TOKEN):
            yield *found.span("value"), "a token in a URL"
        start = text.find("://", start + 3)


def _of_curl(text: str) -> _Placed:
    start = text.find("curl ")
    while start >= 0:
        end = text.find("\n", start, start + _LINE)
        end = end if end >= 0 else min(len(text), start + _LINE)
        yield from ((*each.span("value"), "a cookie") for each in _COOKIE.finditer(text, start, end))
        start = text.find("curl ", end)


def _authorizations(text: str) -> _Placed:
    for each in _AUTHORIZATION.finditer(text):
        if is_mixed(each["value"]):
            yield *each.span("value"), "a token"


def _keys(text: str) -> _Placed:
    """Private keys to the line that ends them, whatever stands before each line; else as far as it looks like one."""
    at = 0
    while (begins := _KEY_BEGINS.search(text, at)) is not None:
        following = text.find("-----BEGIN ", begins.end(), begins.end() + _FAR)
        ends = _KEY_ENDS.search(text, begins.end(), following if following >= 0 else begins.end() + _FAR)
        at = ends.end() if ends is not None else _cut(text, begins.end())
        yield begins.start(), at, "a private key"


def _cut(text: str, at: int) -> int:
    end = at
    while (line := _KEY_LINE.match(text, at)) is not None and at < len(text):
        end, at = (line.start() + len(line[0].rstrip()), line.end()) if line[0].strip() else (end, line.end())
    return end


def _of_tables(text: str) -> _Placed:
    """The values of those TOML tables in which every value is a secret, whatever its name:
    `[….registry.configs."host".auth]`."""
    of_tables: list[str] = table()["kept"]["tables"]
    at = text.find("[") if any(each in text for each in of_tables) else -1
    while at >= 0:
        end = text.find("\n", at, at + _LINE)
        following = _next_table(text, max(at, end))
        if end >= 0 and _is_kept(text, at, end, of_tables):
            yield from _strings(text, end, following, Holds.PASSWORD)
        at = following if following < len(text) else -1


def _is_kept(text: str, at: int, end: int, names: list[str]) -> bool:
    head = text[at:end].strip().strip("[]")
    parts = [each.strip("'\" ").lower() for each in head.replace('"', ".").replace("'", ".").split(".")]
    return text[at:end].rstrip().endswith("]") and "," not in head and any(each in parts[1:] for each in names)


def _next_table(text: str, at: int) -> int:
    """Where a line begins with a bracket."""
    while at >= 0:
        line = at + 1
        if text[line : line + 40].lstrip(" \t").startswith("["):
            return text.index("[", line)
        at = text.find("\n", line)
    return len(text)


def _of_blocks(text: str) -> _Placed:
    """Mappings whose every value is one: headers."""
    names: list[str] = table()["kept"]["blocks"]
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    for name in ("staticpodurlheader", "headers") if "eader" in text else ():
        start = lowered.find(name)
        while start >= 0:
            end = start + len(name)
            kind = Holds.PASSWORD if name != "headers" else Holds.TOKEN
            assigns = _ASSIGNS.match(text, end) if any(name == each.lower() for each in names) else None
            if assigns is not None:
                end = _inside(text, start, assigns.end())
                yield from _strings(text, assigns.end(), end, kind)
                yield from _lines_of(text, assigns.end(), end, kind)
            start = lowered.find(name, max(end, start + 1))


def _inside(text: str, start: int, at: int) -> int:
    """The end of what stands in brackets, or deeper than its key."""
    if text[at : at + 1] in ("{", "["):
        depth = 0
        for found in _BRACKETS.finditer(text, at, at + _FAR):
            depth += 1 if found[0] in "{[" else -1
            if not 0 < depth < _DEEPEST:
                return found.start() if depth == 0 else at
        return at
    return _dedent(text, start, text.find("\n", at)) if _ENDS_A_LINE.match(text, at) else at


def _dedent(text: str, key: int, at: int) -> int:
    """The end of the last line that stands deeper than the line of its key; a list may stand as deep as that."""
    line = text.rfind("\n", max(0, key - _LINE), key) + 1
    before = text[line:key].rstrip("\"'")
    in_a_list = before.strip(" \t") == "-"
    depth = len(before) if in_a_list else len(before) - len(before.lstrip(" \t"))
    end = at
    for _ in range(_LINES):
        begins = at + 1
        if at < 0 or begins >= len(text):
            break
        at = text.find("\n", begins)
        shown = text[begins : at if at >= 0 else len(text)]
        bare = shown.lstrip(" \t")
        indent = len(shown) - len(bare)
        if bare and indent <= depth and not (indent == depth and bare.startswith("- ")):
            break
        if bare:
            end = begins + len(shown.rstrip())
    return end


def _strings(text: str, start: int, end: int, kind: Holds) -> _Placed:
    """What stands there in quotes, and is no key."""
    for each in _QUOTED.finditer(text, start, max(end, start)):
        group = "double" if each["double"] is not None else "single"
        is_key = text[start:end].count("\n") == 0 and _IS_A_KEY.match(text, each.end()) is not None
        if not is_key and may_be_secret(each[group], kind):
            yield *each.span(group), "a secret"


def _lines_of(text: str, start: int, end: int, kind: Holds) -> _Placed:
    for each in _ITEM.finditer(text, start, max(end, start)):
        if not each["quote"] and _MAPPING.match(each[0]) is None and may_be_secret(each["value"], kind):
            yield *each.span("value"), "a secret"


def _doubts_by_name(text: str, name: str, end: int) -> tuple[list[Found], int]:
    kind, start = may_hold(name), end - len(name)
    if kind is None:
        several = may_hold_several(name)
        return _below(text, name, several, end, lists=True) if several is not None else ([], end)
    match = behind(text, name, start, end) or _less_plainly_behind(text, name, kind, end)
    if match is None or (match["by"] == ":" and text[match.span(group_of(match))[0]] in "|>"):
        return _below(text, name, kind, end)
    begins, ends = match.span(group_of(match))
    if text.startswith(("''", '""'), begins - 1) and text[begins - 1] == text[begins]:
        return _below(text, name, kind, end)
    ends = _whole(text, start, match)
    value = text[begins:ends]
    if value.endswith("$"):  # of `${…}`, `$(…)`
        return [], begins
    tells = _tells(name, value, in_quotes=text[start - 1 : start] in ("'", '"'))
    if not may_be_secret(value, kind, name) or (is_prose(text, start, match) and not tells):
        return [], ends if _is_header(name) else begins
    if group_of(match) == "bare" and text[ends : ends + 1] in ("(", "["):
        return [], ends  # code
    return [(begins, ends, word_in_name(name), name.lstrip("-."))], ends


def _tells(name: str, value: str, *, in_quotes: bool) -> bool:
    """Whether it tells a secret in the middle of a sentence: `token: expired` does not, `token: 0a1b2c3d` does."""
    return is_mixed(value) and (" " not in value or in_quotes or _is_header(name))


def _less_plainly_behind(text: str, name: str, kind: Holds, end: int) -> re.Match[str] | None:
    if name[0] == "-":
        return _BELOW_A_FLAG.match(text, end)
    if text[end - len(name) - 1 : end - len(name)] == "<":
        return _TAG.match(text, end)
    return _TIGHT.match(text, end) if kind is Holds.PASSWORD else None


def _whole(text: str, start: int, match: re.Match[str]) -> int:
    """Where all of it ends, however long it is."""
    group = group_of(match)
    begins, ends = match.span(group)
    if group == "bare":
        return _bare(text, start, begins, ends, match["by"])
    closing = {"escaped": '\\"', "double": '"', "single": "'"}[group]
    at = text.find(closing, begins, begins + _FAR)
    while at >= 0 and _is_escaped(text, at, begins, group):
        at = text.find(closing, at + (2 if group == "single" else 1), begins + _FAR)
    line = text.find("\n", begins)
    line = line if line >= 0 else len(text)
    # Only a mapping of YAML, or a shell's variable at the beginning of its line, goes on behind the line's end.
    if at < 0 or (at > line and not _begins_its_line(text, start)):
        return max(line, ends)
    return at


def _is_escaped(text: str, at: int, begins: int, group: str) -> bool:
    if group == "single":
        return text.startswith("''", at)
    before = text[max(begins, at - 40) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _begins_its_line(text: str, start: int) -> bool:
    line = text[max(text.rfind("\n", max(0, start - 200), start) + 1, start - 200, 0) : start]
    return line.strip(" \t\"'-") in ("", "export", "set", "ENV", "Environment=")


def _bare(text: str, start: int, begins: int, ends: int, by: str) -> int:
    """A value without quotes goes on to the end of its word, and behind the key of a mapping to that of its line."""
    line = text.find("\n", ends, ends + _LONG)
    line = line if line >= 0 else min(len(text), ends + _LONG)
    name = text[start:begins].rstrip(" \t:=\"'")
    if _is_header(name):
        found = _ENDS_A_HEADER.search(text, ends, line)
        return found.start() if found is not None and text[start - 1 : start] != '"' else line
    quote = text[start - 1 : start]
    if quote in ("'", '"') and text[start + len(name)] != quote and (closes := text.find(quote, ends, line)) > 0:
        return closes
    if not _begins_its_line(text, start) or text[ends : ends + 1] in ("(", "["):
        return ends - (text[ends - 1] == ":")
    rest = text[ends:line]
    comment = rest.find(" #")
    rest = rest[:comment] if comment >= 0 else rest
    word = rest.split(maxsplit=1)[0] if rest[:1].strip() else ""
    if by.strip() == ":" and not _GOES_ON.search(rest):
        word = rest
    return ends + len(_without_what_closes(text[begins:ends] + word)) - (ends - begins)


def _without_what_closes(word: str) -> str:
    """Commas, quotes and brackets that were opened before it."""
    while word and (word[-1] in " \t\r,;:\"'" or word.count(word[-1]) > word.count(_OPENS.get(word[-1], word[-1]))):
        word = word[:-1]
    return word


def _is_header(name: str) -> bool:
    return name.lower().endswith(("authorization", "cookie"))


def _below(text: str, name: str, kind: Holds, end: int, *, lists: bool = False) -> tuple[list[Found], int]:
    """What stands in the lines behind the key: a scalar of YAML, three quotes of TOML, the items of a list."""
    assigns = _ASSIGNS.match(text, end)
    if assigns is None:
        return [], end
    at = assigns.end()
    if text.startswith(('"""', "'''"), at):
        closes = text.find(text[at : at + 3], at + 3, at + _FAR)
        spans = [(at + 3, closes)] if closes > at + 3 else []
    elif text[at : at + 1] == "[":
        closes = _inside(text, at, at)
        spans = list(_items_in_brackets(text, at, closes))
    else:
        header = _BLOCK.match(text, at) or _ENDS_A_LINE.match(text, at)
        if header is None:
            return [], end
        closes = _dedent(text, end - len(name), header.end() - 1)
        spans = list(_lines_below(text, header.end(), closes, is_block="|" in header[0] or ">" in header[0]))
    if lists:
        spans = [each for each in spans if text[at : at + 1] == "[" or "-" in text[each[0] - 4 : each[0]]]
    found = [(a, b, word_in_name(name), name.lstrip("-.")) for a, b in spans if may_be_secret(text[a:b], kind, name)]
    return found, max((b for _, b, _, _ in found), default=end)


def _items_in_brackets(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for each in _IN_BRACKETS.finditer(text, start + 1, max(end, start + 1)):
        if _IS_A_KEY.match(text, each.end()) is None:
            yield each.span(each.lastgroup or 0)


def _lines_below(text: str, start: int, end: int, *, is_block: bool) -> Iterator[tuple[int, int]]:
    body = text[start : max(end, start)]
    if not body.strip():
        return
    if is_block:
        yield start + len(body) - len(body.lstrip()), end
        return
    items = list(_ITEM.finditer(text, start, end))
    if items:
        yield from (each.span("value") for each in items if _MAPPING.match(each[0]) is None)
    elif _MAPPING.search(body) is None:
        inner = body.strip().strip("\"'")
        begins = start + body.index(inner)
        yield begins, begins + len(inner)
