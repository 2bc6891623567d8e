"""Kinds of values that several keys of a fleet take."""

from __future__ import annotations

from nodeworthy.fleet import values
from nodeworthy.fleet.shape import Text

NOT_BLANK = r".*\S.*"
CIDR = Text("a range of addresses such as 10.0.0.0/16", fault=values.cidr)
QUANTITY = Text(
    "a quantity such as 50Gi", pattern=r"[0-9]+(\.[0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)", fault=values.quantity
)
PATH = Text("an absolute path", fault=values.absolute_path)
# What both a label's value and a resource's name can be.
NAME = Text("letters, digits, '-', '_' and '.', 63 at most", pattern=r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
MINOR = Text('a minor version in quotes, such as "2.2"', pattern=r"[0-9]+\.[0-9]+", quote=True)


def choice(*words: str) -> Text:
    return Text(f"{', '.join(words[:-1])} or {words[-1]}", choices=words)
