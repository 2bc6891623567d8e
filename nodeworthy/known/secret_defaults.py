"""Secrets that a template or a program takes where nobody gives it another: `{{ k3s_token | default('…') }}`.

Jinja says it behind the variable, Helm also before it, Python as the second of what it gives to `os.environ.get`.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.known.secret_names import holds, is_secret, word_in_name
from nodeworthy.known.secrets_by_name import Found
from nodeworthy.patterns import pattern

_GIVEN = r"(?P<quote>\\?[\"'])(?P<value>[^\s\"'\\{}]{4,256})(?P=quote)"
# `| default('…', true)`, `| default "…"`, `| d('…')`
_BEHIND = pattern(r"\|[ \t]{0,4}(?:default|d)[ \t]{0,4}(?:\([ \t]{0,4}|(?<=[ \t]))" + _GIVEN)
# `default "…" .Values.adminPassword`
_BEFORE = pattern(r"default[ \t]{1,4}" + _GIVEN + r"[ \t]{1,4}\(?[$.]*(?P<name>[A-Za-z][\w.]{0,100})")
_OF_PYTHON = pattern(
    r"(?:environ\.get|getenv)\([ \t]{0,4}\\?[\"'](?P<name>\w{1,64})\\?[\"'][ \t]{0,4},[ \t]{0,4}" + _GIVEN
)
# `{{ 'mine' | password_hash('sha512') }}`
_AS_IT_STANDS = pattern(r"\{\{-?[ \t]{0,4}" + _GIVEN + r"[ \t]{0,4}(?:\|[ \t]{0,4}(?P<filter>\w{1,40})|-?\}\})")
# The last name before the first pipe: `lookup('env', 'K3S_TOKEN')`, `.Values.adminPassword`, `k3s_token`.
_NAMED = pattern(r"(?P<name>[A-Za-z_][\w.]{0,100})[\"')\] \t]{0,8}\Z")
# `.Values.existingSecret`: where the secret is.
_NAMES_ANOTHER = ("secret", "name", "ref", "key")
# How far before it the braces open, and the name of what takes the value stands.
_NEAR = 200
_TAKES = pattern(r"(?P<name>[\w.-]{1,80})\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?\Z")


def secrets_by_default(text: str) -> Iterator[Found]:
    if "{{" in text:
        for found in (*_BEHIND.finditer(text), *_BEFORE.finditer(text)) if "|" in text or "default" in text else ():
            yield from _secret_called(
                text, found.span("value"), _names(text, found.start(), found.groupdict().get("name"))
            )
        for found in _AS_IT_STANDS.finditer(text):
            names = ["password"] if found["filter"] == "password_hash" else _names(text, found.end(), "")
            yield from _secret_called(text, found.span("value"), names)
    if "environ.get(" in text or "getenv(" in text:
        for found in _OF_PYTHON.finditer(text):
            yield from _secret_called(text, found.span("value"), [found["name"]])


def _names(text: str, at: int, named: str | None) -> list[str]:
    """The names of the variable that has the default, and of what is given it where the first says nothing."""
    near = max(text.rfind("\n", max(0, at - _NEAR), at) + 1, at - _NEAR, 0)
    opens = text.rfind("{{", near, at)
    if opens < 0:
        return []
    variable = _NAMED.search(text[opens:at].split("|", maxsplit=1)[0])
    name = named or (variable["name"] if variable is not None else "")
    if name.lower().endswith(_NAMES_ANOTHER):
        return [name]
    takes = _TAKES.search(text[near:opens])
    return [name, takes["name"] if takes is not None else ""]


def _secret_called(text: str, span: tuple[int, int], names: list[str]) -> Iterator[Found]:
    for name in filter(None, names):
        kind = holds(name)
        if kind is not None and is_secret(text[span[0] : span[1]], kind, name):
            yield *span, word_in_name(name), name
            return
