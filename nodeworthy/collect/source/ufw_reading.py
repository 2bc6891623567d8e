"""Recognises ufw's own files among files: its rules, its defaults, its switch."""

from __future__ import annotations

import re
from pathlib import PurePath

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.text import Hole, Text
from nodeworthy.collect.source.files import any_text
from nodeworthy.facts.firewall.ufw_files import BEFORE, DEFAULTS, KINDS, SWITCH, USER, UfwFile
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_SIGNS = (
    (re.compile(rb"^### tuple ###|^:ufw-user-|^-[AI] ufw-user-", re.MULTILINE), USER),
    (re.compile(rb"^:ufw-(?:before|after)-|^-[AI] ufw-(?:before|after)-", re.MULTILINE), BEFORE),
    (re.compile(rb"^DEFAULT_(?:FORWARD|INPUT)_POLICY=", re.MULTILINE), DEFAULTS),
)
# Of the rules for IPv6: their chains, and what ufw remembers of them.
_OF_IPV6 = re.compile(rb"^:ufw6-|^-[AI] ufw6-|^### tuple ### .*::/0", re.MULTILINE)
# ufw's own copies of what it forgot, and those of packages.
_COPY = pattern(r"\.(?:\d{8}_\d{6}|dpkg-\w+|ucf-\w+|bak|orig|old)$|~$")
_SWITCH = pattern(rb"^ENABLED=", re.MULTILINE)
_TEMPLATES = (".j2", ".tpl", ".tftpl", ".tmpl", ".erb")


def ufw_kind(data: bytes, name: str) -> str | None:
    if data.startswith(b"#!") or _OF_IPV6.search(data) or _COPY.search(name):
        return None
    if PurePath(name).name.startswith("ufw.conf") and _SWITCH.search(data):
        return SWITCH
    kinds = [kind for sign, kind in _SIGNS if sign.search(data)]
    # One may speak of the other's chains, as ufw-docker's lines in after.rules do.
    return BEFORE if BEFORE in kinds and not PurePath(name).name.startswith("user") else next(iter(kinds), None)


def ufw_file(data: bytes, shown: str, lies: str) -> UfwFile | None:
    """None where it is no file of ufw's, or the one of IPv6."""
    kind = ufw_kind(data, shown)
    if kind is None:
        return None
    text = any_text(data)
    fillings = Fillings(jinja="{{" in text or "{%" in text)
    rows = fillings.hide(text).splitlines()
    lines = (Line(_filled(fillings.text(row)), Place(shown, number, 1)) for number, row in enumerate(rows, 1))
    return UfwFile(Place(shown, 1, 1), kind, Content(tuple(lines)), _root(lies))


def _filled(text: Text) -> Text:
    """The text with its holes explained: nobody knows whose template it is."""
    return Text.of(
        *(Hole(each.shown, "a template fills it in") if isinstance(each, Hole) else each for each in text.pieces)
    )


def _root(shown: str) -> str:
    path = PurePath(shown)
    bare = str(path.with_suffix("")) if path.suffix in _TEMPLATES else str(path)
    rooted = next((f"/{bare}".removesuffix(known) for known in KINDS if f"/{bare}".endswith(known)), None)
    return rooted if rooted is not None else str(path.parent)
