"""Text of others, made fit to be written: whatever a file, a log or a cluster holds, it only says what it says."""

from __future__ import annotations

from nodeworthy.patterns import pattern

REPLACED = "\ufffd"
LONGEST = 1_000
# Control characters but for tab and newline, half characters, what XML refuses, and what turns the direction of a line.
_UNFIT = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


# What the machines that run jobs obey in a log: GitHub's commands at the beginning of a line, where any word may stand
# once a text is wrapped; `##[…]`, `##vso[…]` (Azure) and `##teamcity[…]` wherever they stand. GitLab's
# `section_start:…` is one only with control characters behind it, which are gone.
_COMMANDS = (
    "add-mask add-matcher add-path debug echo endgroup error group internal-set-repo-path notice remove-matcher "
    "save-state set-env set-output stop-commands warning"
)
_OBEYED = pattern(rf"(?i)(?<![\w:]):(?=:(?:{_COMMANDS.replace(' ', '|')})\b)|#(?=#\w*\[)")
_ANYWHERE = pattern(r"#(?=#\w*\[)")


def printable(text: str) -> str:
    return escape_commands(_UNFIT.sub(REPLACED, text))


def escape_commands(text: str) -> str:
    """The text with a backslash in whatever a job's log would be obeyed for."""
    return _OBEYED.sub(lambda found: f"{found.group()}\\", text) if "::" in text or "##" in text else text


def shorten(text: str) -> str:
    """What nobody would read to its end, cut, and how much there was."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… (cut: {len(text):,} characters)"


def on_one_line(text: str) -> str:
    return printable(text.replace("\n", " ").replace("\t", " "))


def escape_json(json: str) -> str:
    """The same data as JSON, with nothing in it that a terminal or a job's log would obey."""
    fit = _UNFIT.sub(lambda found: f"\\u{ord(found.group()):04x}", json)
    return _ANYWHERE.sub("\\\\u0023", fit) if "##" in fit else fit
