"""Settings of Docker's daemon.json whose values are not of the kind that Docker reads there."""

from __future__ import annotations

from typing import Any

from nodeworthy.facts.boot.flaw import Flaw
from nodeworthy.facts.boot.written_text import Reading, has_hole

CAUSE = "Docker does not start with a daemon.json that it can't read: every container of it stays down"
_LISTS = ("insecure-registries", "registry-mirrors", "exec-opts", "dns", "hosts", "node-generic-resources")
_TABLES = ("runtimes", "log-opts", "default-ulimits", "features", "builder")
_TEXTS = ("default-runtime", "log-driver", "data-root", "storage-driver")
_SWITCHES = ("live-restore", "debug", "iptables")


def wrong_kind(reading: Reading) -> Flaw | None:
    """The first such setting; a value that a template fills in may be of any kind."""
    if reading.data is not None and not isinstance(reading.data, dict):
        return Flaw(reading.place, "Docker's daemon.json is no table of settings", "an object: {…}", CAUSE)
    for name, value in reading.mapping.items():
        should = _should(name, value)
        if should and not has_hole(value):
            says = f"{name} of Docker's daemon.json is not {should}"
            return Flaw(reading.line_of(f'"{name}"'), says, should, CAUSE, str(value), f"write {name} as {should}")
    return None


def _should(name: str, value: Any) -> str:
    """What it had to be; empty where it is that. Docker takes null for nothing."""
    if value is None:
        return ""
    if name in _LISTS and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        return "a list of texts"
    if name in _TABLES and not isinstance(value, dict):
        return "an object"
    if name in _TEXTS and not isinstance(value, str):
        return "a text"
    return "true or false" if name in _SWITCHES and not isinstance(value, bool) else ""
