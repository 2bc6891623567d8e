"""Takes out of an object what may be a secret, before it is written down."""

from __future__ import annotations

from typing import Any

from nodeworthy.patterns import pattern

HIDDEN = "(secret)"
_NAME = pattern(r"(?i)token(?!iz)|passw(or)?d|passphrase|secret|credential|(api|access|private)_?key|auth(?!or)")
# What gives itself away: keys, signed tokens, passwords inside a URL or on a command line.
_VALUE = pattern(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+"
    r"|\b(?:ghp|gho|ghs|github_pat|glpat|hf|nvapi|sk|xox[abp])[-_][\w-]{16,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?i:(?<=bearer )[\w.=+/-]{12,})"
)
_FLAG = pattern(r"(?i)(--?[\w-]*(?:token|passw(?:or)?d|secret|api-?key|credential)[\w-]*)(=|\s+)(\S+)")
# `HF_TOKEN=…`, `"password": "…"`, as programs print their settings; a plain number is a count of tokens.
_SETTING = pattern(
    r"(?i)([\w-]*(?:token|passw(?:or)?d|passphrase|secret|credential|(?:api|access|private)[_-]?key)[\"']?\s*[=:]\s*[\"']?)"
    r"(?!\d+\b|\(secret\))([^\s\"',;]{4,})"
)
# Bookkeeping that no rule reads; the last applied configuration repeats every variable.
_DROPPED_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def without_secrets(data: Any) -> Any:
    """A copy that can be kept and sent to somebody."""
    if isinstance(data, dict):
        return _mapping(data)
    if isinstance(data, list):
        return _list(data)
    return _text(data) if isinstance(data, str) else data


def log_without_secrets(log: str) -> str:
    return _SETTING.sub(rf"\1{HIDDEN}", _text(log))


def _mapping(data: dict[str, Any]) -> dict[str, Any]:
    kept = {}
    for name, value in data.items():
        if name in ("managedFields", _DROPPED_ANNOTATION):
            continue
        kept[name] = without_secrets(value)
    if isinstance(data.get("name"), str) and isinstance(data.get("value"), str) and _NAME.search(data["name"]):
        kept["value"] = HIDDEN
    return kept


def _list(data: list[Any]) -> list[Any]:
    kept = [without_secrets(each) for each in data]
    for index in range(1, len(kept)):
        # `--password hunter2`, as two arguments of a command
        before = data[index - 1]
        if isinstance(before, str) and isinstance(data[index], str) and _FLAG.fullmatch(f"{before} x"):
            kept[index] = HIDDEN
    return kept


def _text(text: str) -> str:
    if len(text) < 8:
        return text
    return _FLAG.sub(rf"\1\2{HIDDEN}", _VALUE.sub(HIDDEN, text))
