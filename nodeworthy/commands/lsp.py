"""Speaks with an editor: underlines what `check` finds, as one types, and offers what `check --fix` would do.

It is started by the editor and talks through standard input and output (docs/editor.md shows how).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from nodeworthy.errors import InputError, MissingExtra


class Options:
    stdio: bool
    fleet: str | None
    stack: str | None
    docs: str


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="talk through standard input and output (always so)")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet to judge by: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
    parser.add_argument("--docs", metavar="URL", default="", help="where the pages of the rules are published")


def run(options: Options) -> int:
    from importlib.util import find_spec

    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise MissingExtra("a language server", "lsp")
    if sys.stdin.isatty():
        raise InputError("an editor starts this and speaks with it; at a terminal, nodeworthy check is for you")
    from nodeworthy.lsp.server import make_server

    # What the editor reads is ours alone: whatever prints does so elsewhere. pygls closes it when it is done.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as editor, contextlib.redirect_stdout(sys.stderr):
        make_server(options.fleet, options.stack, options.docs).start_io(sys.stdin.buffer, editor)
    return 0
