"""Slurm's own clients, asked as a user does: each within a limit, in one language, under no option but ours."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import datetime

from nodeworthy.collect.in_cluster.cluster import NotDone
from nodeworthy.collect.workload.watcher import CLIENT_SECONDS, Record
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.patterns import pattern

_QUEUED = "%i|%u|%j|%T|%V|%N|%b|%r"
# Restarts would tell of one that was queued again, and is unknown to sacct before 23.11.
_ACCOUNTED = "JobIDRaw,User,JobName,State,Submit,NodeList,Reason"
_FIELD = pattern(r"(?:^| )([A-Z][A-Za-z:/]*)=")


def environment() -> dict[str, str]:
    """What is set for sbatch goes before what stands in a script: SBATCH_REQUEUE would begin our work anew."""
    kept = {name: value for name, value in os.environ.items() if not _is_told(name)}
    return {**kept, "LC_ALL": "C", "SLURM_TIME_FORMAT": "standard"}


def _is_told(name: str) -> bool:
    return name.startswith(("SBATCH_", "SLURM_", "SQUEUE_", "SACCT_", "SCANCEL_")) and name != "SLURM_CONF"


def ask(*command: str, said: str | None = None) -> str:
    """What a client prints. Raises CouldNotLook where it does not answer, NotDone with its words where it refuses."""
    try:
        ran = subprocess.run(
            command,
            input=said,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CLIENT_SECONDS,
            env=environment(),
            check=False,
        )
    except FileNotFoundError:
        raise InputError(f"there is no {command[0]} on PATH: accept --on slurm runs where jobs are submitted") from None
    except subprocess.TimeoutExpired:
        raise CouldNotLook(f"{command[0]} did not answer within {CLIENT_SECONDS:g} s") from None
    if ran.returncode:
        raise NotDone(_last_line(ran.stderr or ran.stdout) or f"{command[0]} ended with {ran.returncode}")
    return ran.stdout


def _last_line(complaint: str) -> str:
    """The last of what it complains of, which says why."""
    lines = [each.strip() for each in complaint.splitlines() if each.strip()]
    return lines[-1] if lines else ""


def queue_records(*which: str) -> list[Record]:
    """All that the controller remembers: what waits, what runs, and what has just ended."""
    lines = ask("squeue", "--noheader", "--states=all", f"--format={_QUEUED}", *which).splitlines()
    return [_queued(each.split("|", 7)) for each in lines if each.count("|") >= 7]


def _queued(parts: list[str]) -> Record:
    number, user, name, state, submitted, nodes, asked, reason = parts
    return Record(number, user, name, state, _seconds(submitted), reason, nodes, asked=asked)


def accounting_records(ids: list[str]) -> list[Record]:
    """What the accounting knows of these jobs; of one that was queued again each start by itself, the last one last."""
    told = ask("sacct", "-n", "-P", "-X", "-D", f"--jobs={','.join(ids)}", f"--format={_ACCOUNTED}")
    return [_accounted(each.split("|", 6)) for each in told.splitlines() if each.count("|") >= 6]


def _accounted(parts: list[str]) -> Record:
    number, user, name, state, submitted, nodes, reason = parts
    return Record(number, user, name, state, _seconds(submitted), reason, nodes)


def _seconds(written: str) -> float | None:
    """Clients tell times of this machine's zone."""
    try:
        return datetime.fromisoformat(written).timestamp()
    except ValueError:
        return None


def fields(line: str) -> Mapping[str, str]:
    """The fields of a line that scontrol prints. Values may hold blanks, names may not."""
    found = list(_FIELD.finditer(line))
    ends = [each.start() for each in found[1:]] + [len(line)]
    return {each[1]: line[each.end() : end].strip() for each, end in zip(found, ends, strict=True)}
