"""`python -m tests.mutants --seed 1 --count 300`: which single-line faults in rules and facts no test notices."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.mutants.drawn import Mutant, drawn, equivalents, every_mutant
from tests.mutants.kept import Kept, Said, folder
from tests.mutants.reached import Reached, mapped
from tests.mutants.trial import tried, warm

LEAST_KILLED, MOST_EQUIVALENT = 0.90, 0.05
Told = list[tuple[Mutant, Said]]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    options.cache.mkdir(parents=True, exist_ok=True)
    chosen = drawn(options.seed, options.count, (each for each in every_mutant() if options.only in each.path))
    warm()
    print("which tests run what: the first time takes some minutes", flush=True)
    reached = mapped(options.cache, options.jobs, options.tests_seconds)
    said = list(_said(chosen, reached, Kept(options.cache / "outcomes.jsonl"), options.jobs))
    return _verdict(options.seed, said)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which mutants (default: 1)")
    parser.add_argument("--count", type=int, default=300, help="how many (default: 300)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("--only", default="", metavar="PATH", help="only of files whose path has this in it")
    parser.add_argument(
        "--tests-seconds", type=float, default=150, help="how long the tests of one take (default: 150)"
    )
    parser.add_argument("--cache", type=Path, default=folder(), help="where is kept what came of them")
    return parser


def _said(chosen: Sequence[Mutant], reached: Reached, kept: Kept, jobs: int) -> Iterator[tuple[Mutant, Said]]:
    tests = {mutant: reached.tests(mutant) for mutant in chosen}
    by_tests = {mutant: _digest(each.test for each in some) for mutant, some in tests.items()}
    for mutant in chosen:
        said = kept.answers(mutant.name, by_tests[mutant])
        if said is not None:
            yield mutant, said
    left = [mutant for mutant in chosen if kept.answers(mutant.name, by_tests[mutant]) is None]
    print(f"{len(chosen) - len(left)} are known already, {len(left)} are tried", flush=True)
    for outcome in tried([(mutant, tests[mutant]) for mutant in left], jobs):
        kept.keep(outcome, by_tests[outcome.mutant])
        word = "killed  " if outcome.killed else "survived"
        place = f"{outcome.mutant.path}:{outcome.mutant.change.line}"
        print(f"{word} {outcome.seconds:5.1f} s  {place}  {outcome.mutant.change.operator}: {outcome.by}", flush=True)
        yield outcome.mutant, kept.said[outcome.mutant.name]


def _digest(tests: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(tests)).encode()).hexdigest()[:16]


def _verdict(seed: int, said: Told) -> int:
    same = equivalents()
    survived = [(mutant, told) for mutant, told in said if not told.killed]
    proven = [mutant for mutant, _ in survived if any(each.is_of(mutant) for each in same)]
    open_ones = [(mutant, told) for mutant, told in survived if mutant not in proven]
    for mutant, told in open_ones:
        print(f"\n{mutant.change.operator}: {told.by}\n{mutant.diff()}")
    killed, judged = len(said) - len(survived), len(said) - len(proven)
    share = killed / judged if judged else 1.0
    print(
        f"\nseed {seed}: {killed} of {judged} killed, {share:.1%}; {len(proven)} more are equivalent, with their proof"
    )
    return 0 if share >= LEAST_KILLED and len(proven) <= MOST_EQUIVALENT * len(said) else 1


if __name__ == "__main__":
    sys.exit(main())
