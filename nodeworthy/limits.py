"""How much of one input is read, and why not more. No file may take the time or the memory that others need.

Whatever exceeds a limit is reported: `input-readable` says it of a file, and a boot step or a rule becomes unknown.
Nothing passes because of a limit.
"""

from __future__ import annotations

from nodeworthy.patterns import pattern

# YAML. Charts and manifests nest some twenty levels; a recursion in C bears some thousands.
YAML_DEEPEST = 200
# Values that the aliases and merge keys of a document stand for, beyond those that are written. Real documents come to
# some thousands, and Go's reader refuses at 400,000.
MOST_BY_ALIASES = 100_000
# A long text counts as several values: it is searched, and may hold a document itself.
CHARACTERS_A_VALUE = 16

# HCL. Roots nest some ten levels; each is some eight calls of Python, which bears a thousand.
HCL_DEEPEST = 60
# Operators, or steps into a value, one behind the other: real ones come to some thirty.
HCL_LONGEST_CHAIN = 150
# Steps of evaluating one root, and characters that come out of it: the largest roots take some hundred thousands.
HCL_STEPS = 2_000_000
HCL_CHARACTERS = 20_000_000
# Elements that a single function makes.
HCL_MOST_ELEMENTS = 20_000
# Local modules within each other.
HCL_MODULES_DEEP = 12

# Files of any kind. Python itself refuses to make a number of more digits; most programs take some twenty.
MOST_DIGITS = 4_300

# Boot scripts. Steps that edit a file of which nobody knows what it was: real scripts have some ten.
MOST_EDITS = 100

# Nodes. The script asks for some hundred things; a folder of files is one part each.
MOST_PARTS = 20_000

# Programs. Components lie in some five others; each one's URN holds those of all above it, and the tree is walked.
MOST_COMPONENTS_ABOVE = 100

# Computing time of `check`, `diagnose` and `boot`, where all other bounds have failed (`backstop`). A rule judges a
# script of 1 MB in half a second; ten MiB of YAML, the most that is read, take half a minute.
SECONDS = 20.0
SECONDS_A_MIB = 10.0
SECONDS_A_MIB_OF_JSON = 1.0
# What many files, or a cluster, come to together.
SECONDS_TOGETHER = 300.0
# From then on, a tenth of the time.
GIVEN_UP_IN_FULL = 10
# Rules that were given up on one subject; the others are not asked: it is the subject.
GIVEN_UP_OF_A_SUBJECT = 2

# The editor. A keystroke is answered in a tenth of a second, the worst megabyte of a boot script in some seconds.
EDITOR_SECONDS = 10.0
EDITOR_BYTES = 1024**3


_LONG_NUMBER = pattern(f"[0-9]{{{MOST_DIGITS + 1},}}")
_DIGITS = frozenset([*"0123456789", *(b"%d" % digit for digit in range(10))])
TOO_MANY_DIGITS = f"a number of more than {MOST_DIGITS:,} digits"


def holds_long_number(data: str | bytes) -> bool:
    """So many digits lie across one of these places, wherever they begin: all others need not be looked at."""
    places = range(MOST_DIGITS, len(data), MOST_DIGITS + 1)
    return any(_digits_around(data, at) > MOST_DIGITS for at in places if data[at : at + 1] in _DIGITS)


def _digits_around(data: str | bytes, at: int) -> int:
    begin, end = at, at + 1
    while begin and data[begin - 1 : begin] in _DIGITS:
        begin -= 1
    while data[end : end + 1] in _DIGITS:
        end += 1
    return end - begin


def without_long_numbers(text: str) -> str:
    """What a machine answers, with words in place of a number that is none: whoever counts by it does not know."""
    return _LONG_NUMBER.sub(f"({TOO_MANY_DIGITS})", text) if holds_long_number(text) else text
