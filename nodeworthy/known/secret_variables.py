"""Secrets that are known by their name: `PASSWORD=…`, `--token …`, `apiKey: …`, `${TOKEN:-…}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from nodeworthy.known.secret_names import holds, is_secret, uncounted
from nodeworthy.patterns import pattern

# start, end, what it is, what it is called
Found = tuple[int, int, str, str]
# What stands behind a name that ends here, and from where to look on.
Look = Callable[[str, str, int], tuple[list[Found], int]]

# What every name of a secret has in it.
WORDS = ("pass", "token", "secret", "key", "pwd", "activationcode", "sas")
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_LONGEST_NAME = 64
_REST = pattern(r"[\w.-]{0,64}", re.ASCII)
VALUE = (
    r"(?:\\\"(?P<escaped>[^\"\\\n]{1,512})|\"(?P<double>(?:[^\"\\\n]|\\.){1,512})|'(?P<single>[^'\n]{1,512})"
    r"|(?P<bare>[^\s\"'`;|&<>()\[\]{},\\#][^\s\"'`;|&<>()\[\]{},\\]{0,511}))"
)
_ASSIGNED = pattern(r"(?:\\?[\"'])?\]?[ \t]{0,8}(?P<by>:=|=>|=(?![=~])|:(?=[\s\"'\\]))[ \t]{0,8}" + VALUE)
_DEFAULTED = pattern(r"(?P<by>:-|:=|-|=)" + VALUE)
_BEHIND_A_FLAG = pattern(r"(?P<by>[ \t]{1,8}(?:\\\n[ \t]{0,16})?)(?!-)" + VALUE)
# `"--token", "…"`; `- --token` and below it `- …`
_IN_A_LIST = pattern(
    r"(?P<by>[\"'][ \t]{0,4},[ \t\n]{1,40}(?=[\"'])|[ \t]{0,4},[ \t]{1,4}"
    r"|[\"']?[ \t]{0,4}\n[ \t]{0,40}-[ \t]{1,4})(?![\"']?-)" + VALUE
)
_ENDS_AN_ITEM = pattern(r"[\"']?[ \t]*(?:[,\]\n]|$)")
_BEHIND_SPACE = pattern(r"(?P<by>[ \t]{1,4})" + VALUE)
# `name: TOKEN` and its `value:` behind it, as containers have them.
_BESIDE = pattern(r"[\"']?(?:[ \t]{0,8},)?\s{1,200}[\"']?value[\"']?[ \t]{0,8}(?P<by>:)[ \t]{0,8}" + VALUE)
_CLOSING = {"escaped": '\\"', "double": '"', "single": "'"}
GROUPS = (*_CLOSING, "bare")
# `gitlab:token`: whose key it is, as a Pulumi stack's config has it.
_NAMESPACE = pattern(r"[\w.-]{1,64}:\Z", re.ASCII)
# Behind what a key may stand, apart from the beginning of a line.
_HEADER = pattern(r"-[A-Za-z]{1,8}H\Z")  # curl's flags in one word: -fsSH
_BEFORE_A_KEY = ("-", "{", ",", "[", "(", "-H", "header", "|")


def by_name(text: str) -> Iterator[Found]:
    yield from by_words(text, WORDS, _named)


# Of Pulumi: behind it stands what the secret is called.
_KEEPS = "config set --secret "


def by_words(text: str, words: Iterable[str], look: Look) -> Iterator[Found]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text  # a letter whose small form is longer: positions would not agree
    for word in words:
        start = lowered.find(word)
        while start >= 0:
            end = start + len(word)
            rest = _REST.match(text, end)
            end = rest.end() if rest is not None else end
            found, end = look(text, name_at(text, start, end), end)
            yield from (each for each in found if not text.endswith(_KEEPS, 0, each[0]))
            start = lowered.find(word, end)


def name_at(text: str, word: int, end: int) -> str:
    """All of a name in which a word stands; in `\\nTOKEN=`, written into another text, the n is no letter of it."""
    before = text[max(0, word - _LONGEST_NAME) : word]
    name = before[len(before.rstrip(_NAME)) :] + text[word:end]
    start = end - len(name)
    return name[1:] if start and text[start - 1] == "\\" and text[start] in "nrt" and start < word else name


def _named(text: str, name: str, end: int) -> tuple[list[Found], int]:
    kind = holds(name)
    if kind is None:
        return [], end
    start = end - len(name)
    match = behind(text, name, start, end)
    if match is None:
        return [], end
    group = group_of(match)
    begins, ends = match.span(group)
    if not is_secret(match[group], kind, name) or is_prose(text, start, match):
        return [], begins
    if group == "bare" and text[ends : ends + 1] in ("(", "["):
        return [], ends  # code: what comes of it is not known here
    # `line 4: TOKEN=…: command not found`
    ends = _to_its_end(text, group, ends) - (group == "bare" and text[ends - 1] == ":")
    return [(begins, ends, called(name), name.lstrip("-."))], ends


def group_of(match: re.Match[str]) -> str:
    """How the value is quoted."""
    return next(each for each in GROUPS if match[each] is not None)


def called(name: str) -> str:
    """What a name says that it holds."""
    told = uncounted(name).lower()
    if told.endswith("code"):
        return "an activation code"
    if told.endswith(("sas", "sas_string", "sasstring", "sas_url", "sas_uri")):
        return "a shared access signature"
    ending = next((each for each in ("token", "key", "secret") if told.endswith(each)), "password")
    return f"a {ending}"


def behind(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    held = text[max(0, start - 2) : start]
    if held.endswith(("${", "{!")):
        # A variable that is read: only what stands in for it can be a secret.
        return _DEFAULTED.match(text, end)
    if held.endswith(("$", "{{", "/")):
        return None
    next_ = text[end : end + 9].lstrip(" \t")[:1]
    if next_ and next_ in "=:\"'\\]":
        found = _ASSIGNED.match(text, end)
        if found is not None:
            return found
    if name[0] == "-":
        return _BEHIND_A_FLAG.match(text, end) or _listed(text, end)
    lowered = name.lower()
    # `aws configure set …`; SQL's `PASSWORD '…'`
    if lowered == "aws_secret_access_key" or (lowered == "password" and text[end : end + 2] == " '"):
        return _BEHIND_SPACE.match(text, end)
    return _BESIDE.match(text, end) if _is_value_of_name(text, start) else None


def _listed(text: str, end: int) -> re.Match[str] | None:
    """The next item of the list in which a flag stands."""
    found = _IN_A_LIST.match(text, end)
    return found if found is not None and _ENDS_AN_ITEM.match(text, found.end()) else None


def _is_value_of_name(text: str, start: int) -> bool:
    return text[max(0, start - 8) : start].rstrip("\"' \t").endswith(("name:", 'name":'))


def is_prose(text: str, start: int, match: re.Match[str]) -> bool:
    """`echo "token: done"`: a colon makes a key only where a key can stand; so does a flag in a comment."""
    by = match["by"].strip(" \t\\\n")
    if by not in ("", ":"):
        return False
    line = text[_line(text, start) : start]
    if not by:
        return line.lstrip().startswith("#") and match[0].strip(" '\"").isalpha()
    of = _NAMESPACE.search(line)
    before = (line[: of.start()] if of is not None else line).rstrip(" \t\"'\\")
    is_key = before.endswith(_BEFORE_A_KEY) or _HEADER.search(before)
    return bool(before) and not is_key and not _is_value_of_name(text, start)


def _line(text: str, at: int) -> int:
    """Where its line begins, or where that was a line before it was written into another text; no further than this."""
    near = max(0, at - 200)
    written = text.rfind("\\n", near, at)
    return max(text.rfind("\n", near, at) + 1, written + 2 if written >= 0 else 0, near)


def _to_its_end(text: str, group: str, end: int) -> int:
    """However long it is: what is hidden is hidden as a whole."""
    closing = _CLOSING.get(group)
    if closing is None or text.startswith(closing, end):
        return end
    line = text.find("\n", end)
    found = text.find(closing, end, line if line >= 0 else len(text))
    if found >= 0:
        return found
    return line if line >= 0 else len(text)
