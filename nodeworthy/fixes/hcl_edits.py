"""How a value is changed in Terraform's files: a literal that stands there as it is, in quotes or in a heredoc."""

from __future__ import annotations

from nodeworthy.edit import Edit
from nodeworthy.fixes.text import Change, NotMended, Text
from nodeworthy.patterns import pattern

ENDINGS = (".tf", ".tofu", ".tfvars")
# What means itself in quotes and out of them, in HCL as in YAML.
_PLAIN = pattern(r"[A-Za-z0-9_./][A-Za-z0-9_./@:+=-]*")
_BEHIND = ("", "\n", "\r", " ", "\t", ",", "}", "]")


def value(text: Text, edit: Edit) -> list[Change]:
    at = text.offset(edit.place.line or 0, edit.place.column or 0)
    if at is None:
        raise NotMended("the file has no such position")
    quote = text.text[at : at + 1]
    quote = quote if quote in ('"', "'") else ""
    start = at + len(quote)
    end = start + len(edit.was)
    behind = text.text[end : end + 1]
    if text.text[start:end] != edit.was or (behind != quote if quote else behind not in _BEHIND):
        raise NotMended("the file says it in another way than the finding: it is put together, or written elsewhere")
    if _PLAIN.fullmatch(edit.new) is None:
        raise NotMended("how it is written in this file is a decision")
    return [Change(start, end, edit.new)]


def by_hand(_: Text, __: Edit) -> list[Change]:
    raise NotMended("a list of Terraform's may be put together elsewhere: it is changed by hand")
