"""make strangers DIR=… : how true `check` is on the fetched files of a list.

exit code 0 above the bars, 1 below one of them, 2 usage, 3 where not one file of the list is there
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import bench.exam
from bench.exam.lists import SETS, exam_of
from bench.exam.looking import look
from bench.exam.scoring import score
from bench.exam.shown import as_json, text


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    exam = exam_of(options.sets / options.set)
    there = [file for file in exam.files if (options.folder / file).is_file()]
    if not there:
        print(f"none of the {len(exam.files)} files of the list is in {options.folder}", file=sys.stderr)
        return 3
    result = score(exam, [look(options.folder, file) for file in there])
    print(json.dumps(as_json(result), indent=1) if options.format == "json" else text(result))
    return 0 if result.passes else 1


def _parser() -> argparse.ArgumentParser:
    explained = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m bench.exam", description=bench.exam.__doc__, formatter_class=explained)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the fetched files are")
    parser.add_argument("--set", default="second", help="which list (default: second)")
    parser.add_argument("--sets", type=Path, default=SETS, help=argparse.SUPPRESS)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
