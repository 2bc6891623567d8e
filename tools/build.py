"""Builds the real programs that the tests use, from the wrapper modules beside this file.

    python tools/build.py                  everything that is not built yet
    python tools/build.py pulumi etcd      these programs, or all of a family, by name
    python tools/build.py --list           program, version, family, `built` or `missing`, path (tab-separated)

Needs Go and whatever module proxy it is set up with. Binaries go into a cache outside the tree (see `recipes`):
what is there is never built again, and a program is there only whole, and only if it tells the version it should.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence

from golang import ToolError, build, find_go, say
from recipes import Program, cache, programs


def main(argv: Sequence[str] | None = None) -> int:
    known = programs()
    options = parse(argv, known)
    if options.list:
        return show(known)
    wanted = [p for p in known if not options.names or {p.name, p.family.name} & set(options.names)]
    missing = [p for p in wanted if not p.built]
    if not missing:
        say(f"nothing to build, {len(wanted)} of {len(wanted)} are in {cache()}")
        return 0
    return build_all(missing)


def parse(argv: Sequence[str] | None, known: Sequence[Program]) -> argparse.Namespace:
    names = {p.name for p in known} | {p.family.name for p in known}
    parser = argparse.ArgumentParser(description="Builds the real programs that the tests use.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(sorted(names))}; default: all")
    parser.add_argument("--list", action="store_true", help="say what there is, and where; build nothing")
    options = parser.parse_args(argv)
    if strangers := set(options.names) - names:
        parser.error(f"no such program: {', '.join(sorted(strangers))} (there are: {', '.join(sorted(names))})")
    return options


def show(known: Sequence[Program]) -> int:
    for program in known:
        state = "built" if program.built else "missing"
        print(program.name, program.version, program.family.name, state, program.path, sep="\t")
    return 0


def build_all(missing: Sequence[Program]) -> int:
    """One that fails does not keep the others from being built."""
    try:
        go = find_go()
    except ToolError as error:
        return report(error)
    exit_code = 0
    for program in missing:
        try:
            build(program, go)
        except ToolError as error:
            exit_code = report(error)
        except OSError as error:  # a full disk, a cache that is not ours
            exit_code = report(ToolError(f"{program} could not be built: {error}"))
    return exit_code


def report(error: ToolError) -> int:
    say(str(error))
    if error.said:
        print(textwrap.indent(error.said, "    "), file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
