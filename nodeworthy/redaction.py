"""Takes secrets out of whatever leaves: texts, and data that was parsed.

What a secret is, `known/secrets` says. Here it is put out of sight, wherever something is shown, written down or sent:
reports, plans, recordings, logs, diffs, caches, what is said of an error. A placeholder of one length stands in its
place; what can be parsed stays so, and what only refers to a secret stays as it is. What is packed (base64, gzip, hex,
a URL's percents) is unpacked, and packed again.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from nodeworthy.known.secret_names import Holds, holds, may_be_secret, may_hold, may_hold_several
from nodeworthy.known.secrets import HIDDEN, perhaps
from nodeworthy.patterns import pattern

PACKED = "(packed)"
# Base64 within gzip within base64; nobody means more.
_DEPTH = 3
_UNPACKED = 16 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_PRINTABLE = bytes((*range(32, 127), 9, 10, 13, 27))
_MOST_KINDS = 0.1

_BASE64 = pattern(r"[A-Za-z0-9+/_-]{20,}+(?:(?:\r?\n|\\n)[ \t]{0,40}[A-Za-z0-9+/]{20,}+)*+={0,2}")
_LAST_LINE = pattern(r"(?P<break>(?:\r?\n|\\n)[ \t]{0,40})(?P<rest>[A-Za-z0-9+/]{1,19}={0,2})(?![\w+/=-])")
_BREAK = pattern(r"(?:\r?\n|\\n)[ \t]*")
# Also one that was cut.
_HEX = pattern(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){12,}+[0-9a-fA-F]?+(?![0-9A-Za-z])")
# From where a word begins: from each letter of a long one on, it would be looked through to its end.
_PERCENTS = pattern(r"(?<![^\s\"'<>%=&?])[^\s\"'<>%=&?]*+%[0-9A-Fa-f]{2}[^\s\"'<>=&?]*+")
_UNQUOTED = pattern(r"(?<![^\n\"])[^\n\"\\]*+\\n[^\n\"]*+")
# A text that was written into another one, with its lines in one.
_WRITTEN = pattern(r"\"(?:[^\"\\\n]|\\[^n\n])*+\\n(?:[^\"\\\n]|\\.)*+\"")
_SECRET_OBJECT = pattern(r"""(?m)^[ \t{-]*["']?kind["']?[ \t]*:[ \t]*["']?(?:Sealed)?Secret\b|"kind": ?"Secret\"""")
_DATA = pattern(r"""^(?P<indent>[ \t]*)["']?(?:data|stringData)["']?[ \t]*:(?P<rest>.*)$""")
_KEY = pattern(r"""^(?P<key>[ \t]*["']?[\w.-]+["']?[ \t]*:[ \t]*)\S""")
_DOCUMENTS = pattern(r"(?m)^(?=---)")
_DIGEST = pattern(r"(?:sha\d+:)?[0-9a-f]{32,128}")


# What an input itself calls a secret, whatever it looks like; of what is shorter nobody could tell it from a word.
_LEAST = 5
_COMMON = frozenset({"false", "enabled", "disabled", "default", "admin", "nvidia"})
_told: dict[str, None] = {}


def keep_secret(texts: Iterable[str]) -> None:
    """Hides these texts from now on wherever they stand: nothing else shows that a plan marked them as sensitive."""
    for text in texts:
        for each in (text, *text.split("\n")) if "\n" in text else (text,):
            told = each.strip()
            if len(told) >= _LEAST and told.lower() not in _COMMON and not (told.isdigit() and len(told) < 8):
                _told.setdefault(told)
    kept = sorted(_told, key=len, reverse=True)
    _told.clear()
    _told.update(dict.fromkeys(kept))
    _hidden_before.cache_clear()


def hide_secrets(text: str) -> str:
    """The text with every secret replaced by a placeholder. The same object comes back where there is no secret."""
    changed = _hidden_before(text) if len(text) <= _SHORT else _hidden(text, 0)
    return changed if changed != text else text


# The same short texts leave over and over: a rule's words at each keystroke, what all nodes of a pool say alike.
_SHORT = 2000


@lru_cache(maxsize=1024)
def _hidden_before(text: str) -> str:
    return _hidden(text, 0)


def hidden_lines(text: str) -> str:
    """The same, with every line where it was."""
    return _hidden(text, 0, keep_lines=True)


def hidden_data(data: Any) -> Any:
    """A copy of the data that may be shown. Secrets are found by the names of keys, by neighbouring values, and in
    texts."""
    return _data(data, "")


def _hidden(text: str, depth: int, *, keep_lines: bool = False) -> str:
    if len(text) < 4:
        return text
    for each in _told:
        if each in text:
            text = text.replace(each, HIDDEN)
    if "Secret" in text:
        text = _without_objects(text)
    if "\\n" in text and depth < _DEPTH:
        text = _each(text, (each.span() for each in _WRITTEN.finditer(text)), lambda run: _of_written(run, depth + 1))
    if "\\n" in text:
        text = _each(text, (each.span() for each in _UNQUOTED.finditer(text)), _of_unquoted)
    text = _replaced(text, keep_lines=keep_lines)
    if depth < _DEPTH and len(text) >= 20:
        text = _repacked(text, depth + 1, keep_lines=keep_lines)
    return text


def _replaced(text: str, *, keep_lines: bool) -> str:
    pieces: list[str] = []
    behind, is_quoted = 0, False
    for each in perhaps(text):
        before = text[behind : each.start]
        is_quoted = _is_in_quotes(before, is_quoted)
        bare = text[each.start : each.end]
        # A number stands without quotes; in its place a word may not.
        quote_it = not is_quoted and bare.isdigit() and before.rstrip(" \t")[-1:] in ("=", ":") and before[-1:] != "'"
        pieces += [before, f'"{HIDDEN}"' if quote_it else HIDDEN]
        if keep_lines:
            pieces.append("\n" * bare.count("\n"))
        is_quoted = _is_in_quotes(bare, is_quoted)
        behind = each.end
    return "".join([*pieces, text[behind:]]) if pieces else text


def _is_in_quotes(text: str, was: bool) -> bool:
    """Whether the position after this text is within quotes on its line."""
    line = text.rfind("\n")
    shown = text[line + 1 :]
    return (shown.count('"') - shown.count('\\"')) % 2 == (0 if was and line < 0 else 1)


def _without_objects(text: str) -> str:
    """A Secret of Kubernetes holds its values in base64, by keys that say nothing."""
    if not _SECRET_OBJECT.search(text):
        return text
    if text.lstrip().startswith("{") and "\n" not in text.strip():
        return _as_json(text)
    documents = _DOCUMENTS.split(text)
    return "".join("\n".join(_hiding(each.split("\n"))) if _SECRET_OBJECT.search(each) else each for each in documents)


def _as_json(text: str) -> str:
    """An object as kubectl keeps it in an annotation: as JSON, its secrets hidden."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(hidden_data(data), separators=(",", ":"), ensure_ascii=False)


def _hiding(lines: list[str]) -> Iterator[str]:
    inside: int | None = None
    for line in lines:
        opened = _DATA.match(line)
        depth = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and depth > inside:
            key = _KEY.match(line)
            yield f"{key['key'] if key else line[:depth]}{HIDDEN}"
        elif opened:
            inside = len(opened["indent"])
            yield line if opened["rest"].strip() in ("", "{") else f"{line[: opened.start('rest')]} {HIDDEN}"
        else:
            inside = inside if not line.strip() else None
            yield line


def _repacked(text: str, depth: int, *, keep_lines: bool) -> str:
    def of_base64(run: str) -> str:
        changed = _of_base64(run, depth)
        # Packed again it may take more lines, or fewer.
        return f"{PACKED}{chr(10) * run.count(chr(10))}" if keep_lines and changed != run and "\n" in run else changed

    text = _each(text, _base64_runs(text), of_base64)
    text = _each(text, (each.span() for each in _HEX.finditer(text)), lambda run: _of_hex(run, depth))
    if "%" in text:
        text = _each(text, (each.span() for each in _PERCENTS.finditer(text)), lambda run: _of_percents(run, depth))
    return text


def _each(text: str, spans: Iterator[tuple[int, int]], change: Callable[[str], str]) -> str:
    pieces, behind = [], 0
    for begins, end in spans:
        start = max(begins, behind)
        if start > begins and (between := _BREAK.match(text, start)) is not None:
            start = between.end()
        run = text[start:end]
        changed = change(run)
        if changed != run:
            pieces += [text[behind:start], changed]
            behind = end
    return "".join([*pieces, text[behind:]]) if pieces else text


def _base64_runs(text: str) -> Iterator[tuple[int, int]]:
    for each in _BASE64.finditer(text):
        is_open = text[each.end() - 1] != "=" and len(each[0]) >= 60
        last = _LAST_LINE.match(text, each.end()) if is_open else None
        yield from _packed_together(text, each.start(), last.end() if last is not None else each.end())


def _packed_together(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A text that was packed has lines of one length, but for its last: which may as well be the first of another."""
    breaks = list(_BREAK.finditer(text, start, end))
    lines = list(zip([start, *(each.end() for each in breaks)], [*(each.start() for each in breaks), end], strict=True))
    first = 0
    for number, (begins, ends) in enumerate(lines):
        width = lines[first][1] - lines[first][0]
        if ends - begins > width:
            yield lines[first][0], lines[number - 1][1]
            first = number
        elif ends - begins < width:
            yield lines[first][0], ends
            first = number
    yield lines[first][0], end


def _of_base64(run: str, depth: int) -> str:
    """Hides what is packed, wherever in the run the packing begins: a path or a word may stand before it."""
    first = _BREAK.search(run)
    joined = _BREAK.sub("", run) if first is not None else run
    plain = joined.rstrip("=").replace("-", "+").replace("_", "/")
    for skipped in range(4):
        data = _decoded(plain[skipped:])
        if not data:
            continue
        changed = _of_bytes(data, depth)
        if changed is None:
            continue
        packed = base64.b64encode(changed).decode("ascii")
        if "-" in joined or "_" in joined:
            packed = packed.translate({43: "-", 47: "_"})
        packed = joined[:skipped] + packed
        return packed if first is None else _wrapped(packed, first.start(), first[0])
    return run


def _wrapped(packed: str, width: int, between: str) -> str:
    return between.join(packed[at : at + width] for at in range(0, len(packed), width))


def _decoded(plain: str) -> bytes:
    left = len(plain) % 4
    try:
        return binascii.a2b_base64(plain[:-1] if left == 1 else plain + "=" * (-left % 4))
    except (binascii.Error, ValueError):
        return b""


def _of_bytes(data: bytes, depth: int) -> bytes | None:
    """What was packed, without its secrets; None where it held none that anybody could see."""
    if data.startswith(_GZIP):
        plain = _gunzipped(data)
        if plain is None:
            return PACKED.encode()
        changed = _of_bytes(plain, depth + 1)
        return _gzipped(changed) if changed is not None else None
    if len(data.translate(None, _PRINTABLE)) > len(data) * _MOST_KINDS:
        return None
    text = data.decode("utf-8", "surrogateescape")
    changed_text = _hidden(text, depth)
    return changed_text.encode("utf-8", "surrogateescape") if changed_text != text else None


def _gunzipped(data: bytes) -> bytes | None:
    """None where it is more than anybody means."""
    member = zlib.decompressobj(wbits=31)
    try:
        plain = member.decompress(data, _UNPACKED + 1)
    except zlib.error:
        return b""
    return plain if len(plain) <= _UNPACKED else None


def _gzipped(data: bytes) -> bytes:
    """The same bytes whenever it is done."""
    member = zlib.compressobj(9, wbits=31)
    return member.compress(data) + member.flush()


def _of_unquoted(run: str) -> str:
    """Hides secrets in a shell's word that is shown without its quotes."""
    if "-----BEGIN" in run and "-----END" not in run:
        return run  # it goes on in the next line
    plain = run.replace("\\n", "\n")
    changed = _replaced(plain, keep_lines=False)
    return changed.replace("\n", "\\n") if changed != plain else run


def _of_written(run: str, depth: int) -> str:
    try:
        plain = json.loads(run)
    except (ValueError, RecursionError):
        return run
    changed = _hidden(plain, depth)
    return json.dumps(changed, ensure_ascii=False) if changed != plain else run


def _of_hex(run: str, depth: int) -> str:
    changed = _of_bytes(bytes.fromhex(run[: len(run) // 2 * 2]), depth)
    return changed.hex() if changed is not None else run


def _of_percents(run: str, depth: int) -> str:
    from urllib.parse import quote, unquote

    plain = unquote(run, errors="surrogateescape")
    changed = _hidden(plain, depth)
    return quote(changed, safe="/:?&=#@()+,;!*$~[]", errors="surrogateescape") if changed != plain else run


def _data(data: Any, name: str) -> Any:
    if isinstance(data, Mapping):
        return _mapping(data)
    if isinstance(data, list | tuple):
        return _list(data, name)
    if isinstance(data, str):
        return _scalar(data, name)
    is_number = isinstance(data, int) and not isinstance(data, bool)
    return HIDDEN if is_number and holds(name) is Holds.PASSWORD else data


def _mapping(data: Mapping[Any, Any]) -> dict[Any, Any]:
    beside = data.get("name")
    is_secret = data.get("kind") == "Secret"
    kept: dict[Any, Any] = {}
    for key, value in data.items():
        if is_secret and key in ("data", "stringData", "binaryData") and isinstance(value, Mapping):
            kept[key] = dict.fromkeys(value, HIDDEN)
            continue
        kept[key] = _data(value, str(beside) if key == "value" and isinstance(beside, str) else str(key))
    return kept


def _list(data: Sequence[Any], name: str) -> list[Any]:
    """The arguments of a command, in which the value of a flag is the next one; or what the key of a list says."""
    named = name if may_hold_several(name) is not None else ""
    kept: list[Any] = []
    for index, each in enumerate(data):
        before = str(data[index - 1]) if index else ""
        is_flag = before.startswith("-") and "=" not in before and " " not in before
        of_flag = is_flag and isinstance(each, str) and not each.startswith("-")
        kept.append(_scalar(each, before) if of_flag else _data(each, named))
    return kept


def _scalar(text: str, name: str) -> str:
    """A name with a slash is an annotation's: `checksum/secret` holds none."""
    name = name.rpartition("/")[2] if not _DIGEST.fullmatch(text) else ""
    kind = (may_hold(name) or may_hold_several(name)) if name else None
    if kind is not None and may_be_secret(text, kind, name):
        return HIDDEN
    return hide_secrets(text)
