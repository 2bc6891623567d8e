"""Kinds of values that several keys of a fleet take."""

from __future__ import annotations

import difflib
import ipaddress
import re

from nodeworthy.fleet.shape import Text
from nodeworthy.known.containerd import distributions
from nodeworthy.patterns import pattern

_HOST = pattern(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\]")
_DURATION = pattern(r"([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?")


def _cidr(text: str) -> str | None:
    if "/" not in text:
        return "must be a range of addresses with its length, such as 10.0.0.0/16"
    try:
        written = ipaddress.ip_interface(text)
    except ValueError:
        return "must be a range of addresses such as 10.0.0.0/16"
    if written.ip != written.network.network_address:
        return f"is an address within a range: the range itself is {written.network}"
    return None


def _quantity(text: str) -> str | None:
    return None if re.search("[1-9]", text) else "must be more than nothing"


def duration(text: str) -> str | None:
    if text and _DURATION.fullmatch(text) and re.search("[1-9]", text):
        return None
    return "must be a duration such as 15d or 12h"


def _absolute_path(text: str) -> str | None:
    if text.startswith("/") and ".." not in text.split("/") and not re.search(r"\s", text):
        return None
    return "must be an absolute path without blanks and '..'"


def host_and_port(text: str) -> str | None:
    if "://" in text:
        return f"is a URL: leave out the {text.partition('://')[0]}://"
    host, colon, port = text.rpartition(":") if re.search(r":[^\]]*$", text) else (text, "", "")
    if colon and not (port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65535):
        return "must have a port from 1 to 65535"
    return None if _HOST.fullmatch(host) else "must be a host, with its port where it has one"


def distribution(text: str) -> str | None:
    known = distributions()
    if text in known:
        return None
    near = difflib.get_close_matches(text, known, 1)
    return f"is no distribution we know{f'; did you mean {near[0]}?' if near else ''}: {', '.join(known)}"


NOT_BLANK = r".*\S.*"
CIDR = Text("a range of addresses such as 10.0.0.0/16", fault=_cidr)
QUANTITY = Text("a quantity such as 50Gi", pattern=r"[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)", fault=_quantity)
PATH = Text("an absolute path", fault=_absolute_path)
# What both a label's value and a resource's name can be.
NAME = Text("letters, digits, '-', '_' and '.', 63 at most", pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
MINOR = Text('a minor version in quotes, such as "2.2"', pattern=r"[0-9]+\.[0-9]+", quote=True)


def choice(*words: str) -> Text:
    return Text(f"{', '.join(words[:-1])} or {words[-1]}", choices=words)
