"""The completion of bash, zsh and fish, from the parsers: commands, options, rules, stacks, files."""

from __future__ import annotations

import bash_completion
import fish_completion
import zsh_completion
from interface import interfaces

from nodeworthy.known.containerd import distributions
from nodeworthy.known.gpus import gpu_names
from nodeworthy.rules import ids

HEAD = "Generated from nodeworthy's parsers (`make docs`)."


def completion_scripts() -> dict[str, str]:
    """File name → its text."""
    commands = list(interfaces())
    rules = sorted(ids())
    known = sorted({*rules, *distributions(), *(name.lower() for name in gpu_names())})
    return {
        "nodeworthy.bash": bash_completion.script(HEAD, commands, rules, known),
        "_nodeworthy": zsh_completion.script(HEAD, commands, rules, known),
        "nodeworthy.fish": fish_completion.script(HEAD, commands, rules, known),
    }
