"""`python -m tests.fuzz --seconds 1200 --seed 7`: looks for inputs that take too much or crash something."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.running import faults, keep, prepared

# Inputs of one run are numbered from here; runs of other seeds have others.
EACH = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="which inputs (default: 1)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="only the input of this number")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where failing inputs are kept")
    options = parser.parse_args()
    prepared()
    first = options.only if options.only is not None else options.seed * EACH
    until, number, failed = time.monotonic() + options.seconds, first, 0
    while number == first or (time.monotonic() < until and options.only is None):
        found = list(faults(number))
        for each in found:
            print(f"{each.seed} {each.door}: {each.why}", flush=True)
        if found:
            failed += 1
            print(f"{number} is kept in {keep(number, options.keep)}", flush=True)
        number += 1
    print(f"seed {options.seed}: {number - first:,} inputs in {options.seconds:g} s, {failed} of them failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
