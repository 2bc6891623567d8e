"""Prints the boot script of a pool, with made-up outputs: `python -m userdata --stack ci --pool h100`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from nodeworthy.errors import InputError
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.verdict import Known
from userdata import boot_script, made_up
from userdata.plan import CannotWrite, plan


def main() -> int:
    asked = _arguments()
    try:
        fleet = read_fleet_file(asked.fleet or Path(f"Pulumi.{asked.stack}.yaml"), str(asked.fleet or asked.stack))
        scripts = {name: text for pool in _pools(fleet, asked) for name, text in _scripts(fleet, pool)}
    except (InputError, CannotWrite) as problem:
        sys.stderr.write(f"userdata: {problem}\n")
        return 2
    if asked.out is None:
        sys.stdout.write("\n".join(scripts.values()))
    else:
        _write(scripts, asked.out)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m userdata", description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--stack", help="the stack whose pools these are")
    which.add_argument("--fleet", type=Path, help="a fleet file, wherever it is")
    parser.add_argument("--pool", help="only this one")
    parser.add_argument("--out", type=Path, help="a folder that is to hold these scripts and no others")
    return parser.parse_args()


def _pools(fleet: Fleet, asked: argparse.Namespace) -> list[Pool]:
    built = [pool for pool in fleet.pools if _is_built(pool)]
    chosen = [pool for pool in built if asked.pool in (None, pool.name)]
    if not chosen:
        raise InputError(f"no such pool is built: {asked.pool} (there are {', '.join(pool.name for pool in built)})")
    return chosen


def _scripts(fleet: Fleet, pool: Pool) -> Iterator[tuple[str, str]]:
    told = made_up.told(fleet)
    if pool.profiling_dedicated < pool.max or not pool.max:
        yield pool.name, boot_script.of(plan(fleet, pool, told))
    if pool.profiling_dedicated:
        yield f"{pool.name}-profiling", boot_script.of(plan(fleet, pool, told, profiling=True))


def _is_built(pool: Pool) -> bool:
    return pool.provision and isinstance(pool.os.state, Known) and pool.os.state.value in boot_script.ROOT_DEVICE


def _write(scripts: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.txt"):
        if old.stem not in scripts:
            old.unlink()
    for name, text in scripts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
