"""What a script that asks a cloud for nodes is told by the files that it sources: `source env.sh`, `. ./.env`.

Their plain assignments are put where the file is sourced, all on that line: each command stays where it is written.
What such a file does besides is left out, and so is a file that lies elsewhere.
"""

from __future__ import annotations

import re

from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.patterns import pattern

# `source "${SCRIPT_DIR}/env.sh"`, `[ -f .env ] && . ./.env`: all but the file's own name is cut off later.
_SOURCES = pattern(
    r"(?m)^(?P<before>[ \t]*+(?:[^#\n]{0,200}?(?:&&|;|\bthen)[ \t]*)?)(?:source|\.)[ \t]+"
    r"(?P<file>\"?\$\([^#\n]{1,150}?\)[\"']?/[\w./-]{1,100}[\"']?|[^;|&#\n]{1,200})"
)
# The folder before it is the script's own: a variable or a command says so.
_NAMED = pattern(r"(?P<folder>\$\w{1,100}|[})][\"']?)?(?P<path>[\w./-]{1,200})[\"']?[ \t]*\Z")
_ASSIGNS = pattern(
    r"(?m)^[ \t]*(?:(?:export|readonly|declare[ \t]+-[gx]+)[ \t]+)?(?P<name>[A-Za-z_]\w{0,100})="
    r"(?P<value>\"[^\"`\n]{0,300}\"|'[^'\n]{0,300}'|[^\s\"'`;&|<>()#]{0,300})[ \t]*(?:#[^\n]*)?\r?$"
)
# `: "${REGION:=westus2}"`
_UNLESS_SET = pattern(
    r"(?m)^[ \t]*:[ \t]+\"?\$\{(?P<name>[A-Za-z_]\w{0,100}):?=(?P<value>[^\"'`$}\n]{0,300})\}\"?[ \t\r]*(?:#[^\n]*)?$"
)
# A command whose outcome is kept is another one's to run.
_RUNS = "$("
_MOST = 200


def with_sourced_variables(text: str, beside: FilesBeside) -> str | None:
    """None where it sources no file that is there, or none that sets anything."""
    found = _SOURCES.sub(lambda each: _in_its_place(each, beside), text)
    return found if found != text else None


def _in_its_place(found: re.Match[str], beside: FilesBeside) -> str:
    named = _NAMED.search(found["file"].rstrip())
    path = beside.path(named["path"].lstrip("/") if named["folder"] else named["path"]) if named is not None else None
    text = beside.text(path) if path is not None else None
    if text is None:
        return found[0]
    said = [f"{each['name']}={each['value']}" for each in _ASSIGNS.finditer(text) if _RUNS not in each["value"]]
    said = [*said, *(f"{each['name']}='{each['value']}'" for each in _UNLESS_SET.finditer(text))][:_MOST]
    # The file is there, whatever the script asks before.
    return f"{'; '.join(said)}; {found['before']}:" if said else found[0]
