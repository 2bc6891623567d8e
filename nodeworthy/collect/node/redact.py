"""Takes secrets out of what a node said, before anybody keeps or shows it.

What is a secret in a file is one here too. Besides, with less doubt about it: by name (`--token=…`, `password = …`,
everything under `auth` or `headers`) and by shape (a JWT, a private key, a bootstrap token, a password in a URL). What
is lost to caution is no value that a rule reads.
"""

from __future__ import annotations

import re

from nodeworthy.known import secrets
from nodeworthy.patterns import pattern

SECRET = secrets.HIDDEN

_NAME = (
    r"(?:[\w.-]*(?:password|passwd|passphrase|secret|identitytoken|identity_token|access[-_]?key|api[-_]?key"
    r"|private[-_]?key|client-key-data|key-data|credentials?)|(?:[\w-]*[-_.])?token|[a-z]+Token|auth|authorization)"
)
_SHAPES = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    re.compile(r"\bK10[0-9a-f]{32,}(?:::[\w.:-]+)?"),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"(?<![\w.])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.])"),
    re.compile(r"(?<=://)[^/\s:@'\"]+:[^/\s@'\"]+(?=@)"),
    re.compile(r"(?i)\b(?:bearer|basic) +[\w+/=.~-]{8,}"),
)
# `name = value`, `name: value`, `--name=value`, `"name": "value"`.
_ASSIGNED = pattern(rf"(?im)^(?P<name>[\s\-'\"]*{_NAME}['\"]?[ \t]*[:=][ \t]*)(?P<value>\S.*)$")
# A flag and its value on lines of their own, as a command line is recorded.
_FLAG = pattern(rf"(?im)^(?P<name>--{_NAME})\n(?P<value>(?!--).+)$")
# Within a line: an option of a mount, a word of a command that was quoted in a message.
_INLINE = pattern(r"(?i)(?<=[,\s:])(?P<name>(?:\w*(?:password|passwd|passphrase|token|secret)\w*|pass)=)[^,\s:]+")
_SECRET_TABLE = pattern(r"(?i)^\s*\[.*\.['\"]?(?:auth|auths|headers?)['\"]?(?:\..*)?\]\s*$")
_SECRET_BLOCK = pattern(r"(?i)^\s*['\"]?(?:staticPodURLHeader|headers?)['\"]?\s*:\s*$")
_TABLE = pattern(r"^\s*\[")
_VALUE = pattern(r"^(?P<name>\s*[^=\s]+\s*=\s*).+$")


def redact(text: str) -> str:
    for shape in _SHAPES:
        text = shape.sub(SECRET, text)
    text = _ASSIGNED.sub(_hide, text)
    text = _INLINE.sub(lambda found: f"{found['name']}{SECRET}", text)
    text = _FLAG.sub(lambda found: f"{found['name']}\n{SECRET}", text)
    return _blocks(secrets.hidden(text))


def _hide(found: re.Match[str]) -> str:
    value = found["value"]
    if value in ("''", '""', "{", "[", "[]", "{}", "null", "~"):
        return found[0]
    # Quoted as it was, so that what is kept can still be parsed.
    quote = value[0] if value[0] in "'\"" else ""
    if not quote and "=" in found["name"] and not found["name"].lstrip().startswith("-"):
        quote = '"'
    return f"{found['name']}{quote}{SECRET}{quote}"


def _blocks(text: str) -> str:
    """Tables and blocks whose every value is secret, whatever its name."""
    in_table, block = False, -1
    kept: list[str] = []
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if _TABLE.match(line):
            in_table = bool(_SECRET_TABLE.match(line))
        if line.strip() and (indent < block or (indent == block and not line.lstrip().startswith("- "))):
            block = -1
        if block >= 0:
            continue
        found = _VALUE.match(line) if in_table else None
        kept.append(f'{found["name"]}"{SECRET}"' if found else line)
        if _SECRET_BLOCK.match(line):
            block = indent
            kept[-1] = f"{line.rstrip()} {SECRET}"
    return "\n".join(kept)
