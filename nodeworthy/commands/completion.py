"""Prints the completion of a shell: of commands, options, rules, stacks and files.

`source <(nodeworthy completion bash)` in ~/.bashrc, the same with zsh in ~/.zshrc, and for fish
`nodeworthy completion fish > ~/.config/fish/completions/nodeworthy.fish`.

The wheel brings these scripts and the manual under share/, too, where packages of a system put them.
"""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

SCRIPTS = {"bash": "nodeworthy.bash", "zsh": "_nodeworthy", "fish": "nodeworthy.fish"}


class Options:
    shell: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="whose completion")


def run(options: Options) -> int:
    script = files("nodeworthy").joinpath("completions", SCRIPTS[options.shell])
    sys.stdout.write(script.read_text(encoding="utf-8"))
    return 0
