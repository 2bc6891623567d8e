"""What `nodeworthy accept` takes on its command line, and which options would do nothing beside the others."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence

from nodeworthy.commands import judging
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import TESTS, Level

FORMATS = (*judging.FORMATS, "prometheus")


class Options(judging.Options):
    folder: str | None
    level: str
    test: list[str]
    skip_test: list[str]
    baseline: str | None
    save_baseline: str | None
    yes: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", metavar="DIR", dest="folder", help="judge what an earlier run recorded")
    parser.add_argument(
        "--level", choices=tuple(each.value for each in Level), default=Level.FULL.value, help="how much is run (full)"
    )
    parser.add_argument("--test", metavar="ID", action="append", default=[], help="only this test (repeatable)")
    parser.add_argument("--skip-test", metavar="ID", action="append", default=[], help="not this test (repeatable)")
    parser.add_argument("--baseline", metavar="FILE", help="what this fleet measured of itself when it was well")
    parser.add_argument("--save-baseline", metavar="FILE", help="write what was measured there, if all is well")
    parser.add_argument("--yes", action="store_true", help="do not ask; with --save-baseline: learn of few nodes, too")
    judging.configure(parser, FORMATS)


def chosen_tests(options: Options) -> tuple[str, ...]:
    """Raises InputError for a test that there is not."""
    _known("--test", options.test)
    _known("--skip-test", options.skip_test)
    return tuple(each for each in TESTS if each in (options.test or TESTS) and each not in options.skip_test)


def _known(option: str, names: Sequence[str]) -> None:
    for each in names:
        if each not in TESTS:
            near = difflib.get_close_matches(each, TESTS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise InputError(f"{option} {each}: there is no such test{hint} There are {', '.join(TESTS)}")
