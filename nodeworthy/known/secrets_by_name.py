"""Secrets that a text gives a name: `PASSWORD=…`, `--token …`, `apiKey: …`, `${TOKEN:-…}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from nodeworthy.known.secret_names import Holds, holds, is_secret, may_hold, word_in_name
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
# Ruby, Perl and PowerShell set a variable so: `$kubeadm_token = "…"`.
_OF_A_GLOBAL = pattern(r"[ \t]{0,8}(?P<by>=)[ \t]{0,8}(?=[\"'])" + VALUE)
_DEFAULTED = pattern(r"(?P<by>:-|:=|-|=)" + VALUE)
# `TOKEN=${2:-"…"}`: what a script takes where nobody gives it its second word.
_OF_A_WORD = pattern(r"=\"?\$\{[1-9]\d?(?P<by>:-|-)" + VALUE)
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
_ENDS_ANOTHER_WORD = ("}", ")", "]", ">")
_CLOSING = {"escaped": '\\"', "double": '"', "single": "'"}
GROUPS = (*_CLOSING, "bare")
# `gitlab:token`: whose key it is, as a Pulumi stack's config has it.
_NAMESPACE = pattern(r"[\w.-]{1,64}:\Z", re.ASCII)
# Behind what a key may stand, apart from the beginning of a line.
_HEADER = pattern(r"-[A-Za-z]{1,8}H\Z")  # curl's flags in one word: -fsSH
_BEFORE_A_KEY = ("-", "{", ",", "[", "(", "-H", "header", "|")


def secrets_by_name(text: str) -> Iterator[Found]:
    yield from by_words(text, WORDS, _found_by_name)


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
            name = name_at(text, start, end)
            at = end - len(name)
            is_other = _names_where_it_is(text, at) or _may_be_left_out(text, at) or _is_left_out(text, at)
            found, end = ([], end) if is_other else look(text, name, end)
            yield from (each for each in found if not text.endswith(_KEEPS, 0, each[0]))
            start = lowered.find(word, end)


def name_at(text: str, word: int, end: int) -> str:
    """All of a name in which a word stands; in `\\nTOKEN=`, written into another text, the n is no letter of it."""
    before = text[max(0, word - _LONGEST_NAME) : word]
    name = before[len(before.rstrip(_NAME)) :] + text[word:end]
    start = end - len(name)
    return name[1:] if start and text[start - 1] == "\\" and text[start] in "nrt" and start < word else name


def _found_by_name(text: str, name: str, end: int) -> tuple[list[Found], int]:
    kind = holds(name)
    if kind is None:
        return [], end
    start = end - len(name)
    match = behind(text, name, start, end)
    if match is None:
        return [], end
    group = group_of(match)
    begins, ends = match.span(group)
    if not is_secret(match[group], kind, name) or is_prose(text, start, match) or is_asked_for(text, start):
        return [], begins
    if _closes_a_text(text, start, end, group) or _OF_A_TEST.match(name) or _is_shown(text, start, match):
        return [], ends
    if is_digest(text, begins, ends) or (group == "bare" and is_variable(text, start, match)):
        return [], ends
    if group == "bare" and match["by"] == ":" and _is_said(text, ends, kind):
        return [], ends
    if group == "bare" and text[ends : ends + 1] in ("(", "["):
        return [], ends  # code: what comes of it is not known here
    # `line 4: TOKEN=…: command not found`
    ends = _to_its_end(text, group, ends) - (group == "bare" and text[ends - 1] == ":")
    return [(begins, ends, word_in_name(name), name.lstrip("-."))], ends


# What a script of tests logs in with where it runs.
# Vagrant's `config.ssh.password` is that of every machine made from a box.
_OF_A_TEST = pattern(r"(?i)test[_-]|(?:\w+\.)?ssh\.password\Z")
_SHOWS_USAGE = pattern(r"(?i)\$0|usage|example|--help")


def _closes_a_text(text: str, start: int, end: int, group: str) -> bool:
    """`grep -q "TOKEN=" .env`: the quote behind it ends what began before the name."""
    quote = {"double": '"', "single": "'"}.get(group)
    if quote is None or text[end : end + 1] not in ("=", ":") or text[end + 1 : end + 2] != quote:
        return False
    return text.count(quote, _line(text, start), start) % 2 == 1


def _is_shown(text: str, start: int, match: re.Match[str]) -> bool:
    """`echo "  $0 --password mine"`, `"(User: admin, Password: mine)"`: what tells somebody how it is used."""
    by, line = match["by"].strip(" \t\\\n"), text[_line(text, start) : start].strip(" -\t\"'")
    if not by:
        return line.startswith(("echo ", "printf ")) and _SHOWS_USAGE.search(line) is not None
    if by != ":":
        return False
    said = _FILLED_IN.sub("", line.rpartition('"')[2]).strip()
    return line.endswith("(") or (said.endswith(",") and said[:1].isalpha() and not {"{", "["} & set(said))


_FILLED_IN = pattern(r"\$\{[^{}]{0,100}\}")
# `token: JupyterHub API token` says what one is.
_WORDS_BEHIND = pattern(r"(?:[ \t]{1,4}[A-Za-z]{2,20}){2}(?![\w/=+])")
# `- password: unavailable — run make`
_DASH_BEHIND = pattern(r"[ \t]{1,4}[—–][ \t]")


def _is_said(text: str, end: int, kind: Holds) -> bool:
    """Whether a sentence goes on behind it."""
    words = kind is Holds.TOKEN and _WORDS_BEHIND.match(text, end)
    return bool(words or _DASH_BEHIND.match(text, end))


def group_of(match: re.Match[str]) -> str:
    """How the value is quoted."""
    return next(each for each in GROUPS if match[each] is not None)


def behind(text: str, name: str, start: int, end: int) -> re.Match[str] | None:
    held = text[max(0, start - 2) : start]
    if held.endswith(("${", "{!")):
        # A variable that is read: only what stands in for it can be a secret.
        return _DEFAULTED.match(text, end)
    if held.endswith("$") and not text[_line(text, start) : start - 1].strip():
        return _OF_A_GLOBAL.match(text, end)
    if held.endswith(("$", "{{", "/")):
        return None
    next_ = text[end : end + 9].lstrip(" \t")[:1]
    if next_ and next_ in "=:\"'\\]":
        found = _OF_A_WORD.match(text, end) or _ASSIGNED.match(text, end)
        if found is not None:
            return found
    if name[0] == "-":
        if text[max(0, start - 1) : start] in _ENDS_ANOTHER_WORD:
            return None  # `{{ .Values.name }}-secret`
        if name.startswith("-pp"):
            return None  # `mysql -ppassword argo`: the word itself is what is given
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


# As long as those of MD5 and of the SHAs are.
_DIGEST = pattern(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
_OF_A_DIGEST = pattern(r"(?i)sha-?\d|md5|hash|digest")


def is_digest(text: str, start: int, end: int) -> bool:
    """Where its line says so: `password="c120dc…" encoding="sha256"`."""
    if _DIGEST.fullmatch(text, start, end) is None:
        return False
    closes = text.find("\n", end, end + 200)
    after = text[end : closes if closes >= 0 else end + 200]
    return _OF_A_DIGEST.search(text, _line(text, start), start) is not None or _OF_A_DIGEST.search(after) is not None


def is_variable(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the text is a program's: `self.password = password`, `made['password'] = db_password`, `{"Password":
    admin_pw}`. A shell has no spaces there, and JSON no word without quotes."""
    if not match["bare"].isidentifier() or may_hold(match["bare"]) is None:
        return False
    by = match.start("by")
    if match["by"] == "=>":
        return True
    if match["by"] == "=":
        return text[by - 1 : by].isspace()
    behind = text[match.end() : match.end() + 1]
    is_named = match["bare"].startswith("_") or text[start - 1 : start] in ("'", '"')
    return match["by"] == ":" and is_named and behind in (",", "}")


def is_asked_for(text: str, start: int) -> bool:
    """`set /p PASSWORD="Enter it: "`: what Windows' shell asks somebody."""
    return text[max(0, start - 8) : start].lower().rstrip('"').endswith("set /p ")


# `kubectl create secret generic x --from-file=password=FILE`, `helm install … --set-file db.password=FILE`
_OF_A_FILE = ("--from-file=", "--from-file ", "--set-file=", "--set-file ")


# `gcloud run deploy … --set-secrets="NGC_API_KEY=ngc-key:latest,HF_TOKEN=hf:1"`
_OF_A_STORE = pattern(r"--(?:set|update)-secrets[= ][\"']?[^\s\"']{0,160}\Z")
_OPTIONAL = pattern(r"\[--[\w-]{1,64}[ =][^\[\]\n]{1,64}\]")


def _may_be_left_out(text: str, start: int) -> bool:
    """`[--password 'mine']`: how a program's options are shown."""
    return _OPTIONAL.match(text, max(0, start - 1)) is not None


def _is_left_out(text: str, start: int) -> bool:
    """`;admin_password = admin`: in settings as Grafana and PHP have them, such a line is none."""
    line = text[_line(text, start) : start]
    return line.lstrip(" \t") in (";", "; ") or _is_told_to_somebody(text, start)


# `msg: "… add -e admin_pwd=mine to the call"`: how a task of Ansible's tells somebody what is missing.
_OF_A_MESSAGE = pattern(r"[ \t]*(?:-[ \t]+)?(?:fail_|success_)?msg:[ \t]+[\"']?[A-Z]")
_LONGEST_MESSAGE = 600


def _is_told_to_somebody(text: str, start: int) -> bool:
    if not text.endswith(("-e ", "--extra-vars "), max(0, start - 13), start):
        return False
    begins = text.rfind("\n", max(0, start - _LONGEST_MESSAGE), start) + 1
    return _OF_A_MESSAGE.match(text, begins) is not None


def _names_where_it_is(text: str, start: int) -> bool:
    """Whether a command is told which file holds it, or which secret of a store."""
    if text.endswith(_OF_A_FILE, max(0, start - len(_OF_A_FILE[0])), start):
        return True
    near = text[max(0, start - 200) : start]
    return "-secrets" in near and _OF_A_STORE.search(near) is not None


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
