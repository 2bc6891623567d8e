"""How much of one input is looked at, and why no more: nobody's file may take the time or the memory of the others.

What goes beyond is said: of a file by `input-readable`, of a step of a boot script and of a rule as unknown. None of
these is a pass.
"""

from __future__ import annotations

# YAML. Charts and manifests nest some twenty levels; a recursion in C bears some thousands.
YAML_DEEPEST = 200
# Values that the aliases and merge keys of a document stand for, beyond those that are written. Real documents come to
# some thousands, and Go's reader refuses at 400,000.
MOST_BY_ALIASES = 100_000
# A long text counts as several values: it is searched, and may hold a document itself.
CHARACTERS_A_VALUE = 16

# Files of any kind. Python itself refuses to make a number of more digits; most programs take some twenty.
MOST_DIGITS = 4_300

# Boot scripts. Steps that edit a file of which nobody knows what it was: real scripts have some ten.
MOST_EDITS = 100

# Nodes. The script asks for some hundred things; a folder of files is one part each.
MOST_PARTS = 20_000

# Programs. Components lie in some five others; each one's URN holds those of all above it, and the tree is walked.
MOST_COMPONENTS_ABOVE = 100

# The editor. A keystroke is answered in a tenth of a second, the worst megabyte of a boot script in some seconds.
EDITOR_SECONDS = 10.0
EDITOR_BYTES = 1024**3
