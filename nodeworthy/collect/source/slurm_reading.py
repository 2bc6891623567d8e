"""Reads Slurm job scripts, and looks whether the files that they name lie beside them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.boot.content import Content
from nodeworthy.collect.source.files import STDIN, Source, any_text
from nodeworthy.collect.source.slurm_tree import expected_path, folders_above, imported_modules, lying_as
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.facts.slurm.job import NamedFile, SlurmJob
from nodeworthy.facts.slurm.lines import MARK, Option, holds_others, may_be_refused, options_of, read
from nodeworthy.facts.slurm.paths import logs_made_too_late
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.facts.slurm.request import SlurmRequest, allowed_slices
from nodeworthy.facts.slurm.walk import walk_script
from nodeworthy.facts.slurm.words import peel_words
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Known, Located, NotKnown, Place, Unknown

if TYPE_CHECKING:
    from nodeworthy.facts.slurm.configuration import SlurmConf

# Longer files are not read: they are no script that a job starts.
_LONGEST = 256 * 1024
_READ = (".sh", ".bash", ".py", ".env", ".yaml", ".yml", "")
# What is known only where the job runs.
_OF_THE_JOB = pattern(r"\$\{?(SLURM_(?:NODEID|PROCID|LOCALID|NNODES|NTASKS|JOB_NODELIST|NODELIST|JOB_NUM_NODES))\b")
_SLICES = pattern(rb"^#SBATCH[^\n]*(?:\d+g[._]\d+gb|mig)", re.MULTILINE)
# So many of them say what their site allows.
_MOST_OTHERS = 12
# Where calls of sbatch stand.
_FILLS_IN = pattern(rb"\benvsubst\b|\bsed\s+-i|\bgomplate\b|\bj2\b|\bTemplate\(")
_SUBMITS = (".sh", ".bash", ".md", ".mk", "Makefile")
_IS_A_JOB = pattern(rb"^#SBATCH", re.MULTILINE)
# Scripts that run scripts that run scripts.
_DEEPEST = 3


def jobs_in(source: Source, data: bytes) -> list[SlurmJob]:
    text = any_text(data)
    place = Place(path=source.shown)
    own = options_of(text, place)
    job = SlurmJob(place, text)
    if any(not each.dead for each in own):
        # A job may write others, and submit them when it is done.
        within = _others(text, place) if job.is_shell and holds_others(text, own) else []
        return [_with_files(each, source) for each in (job, *within)]
    jobs = _others(text, place) if job.is_shell else []
    if not jobs and own and job.is_shell:
        jobs = [job]
    return [_with_files(each, source) for each in jobs]


def _others(text: str, place: Place) -> list[SlurmJob]:
    # What a loop submits is one job: it stands there once.
    return list({each.place: each for each in _submitted(text, place)}.values())


def _submitted(text: str, place: Place) -> Iterator[SlurmJob]:
    """Jobs that a script submits, or writes to be submitted."""
    seen = walk_script(text, Place(place.path, 1, 1), {}, {})
    for ran in seen.ran:
        found = peel_words(ran.words, ran.environment)
        if found.program == "sbatch":
            yield from _of_call(ran)
    for _, content in seen.texts:
        if content.text.shown().startswith("#!") and MARK in content.text.shown():
            yield _of_content(content, ())


def _of_call(ran: Ran) -> Iterator[SlurmJob]:
    words = [(each.shown(), ran.place.column or 1) for each in peel_words(ran.words, ran.environment).words[1:]]
    given = tuple(_option(each, ran) for each in read(words))
    wrap = next((each for each in given if each.name == "wrap"), None)
    if wrap is not None:
        text = wrap.value.state.value if isinstance(wrap.value.state, Known) else ""
        yield SlurmJob(ran.place, text, tuple(each for each in given if each is not wrap), within=True)
    elif ran.stdin is not None and ran.stdin.lines and MARK in ran.stdin.text.shown():
        yield _of_content(ran.stdin, given)


def _of_content(content: Content, given: tuple[Option, ...]) -> SlurmJob:
    place = replace(content.lines[0].place, column=None)
    filled = any(line.text.holes for line in content.lines if line.text.shown().startswith(MARK))
    return SlurmJob(place, content.text.shown(), given, early=tuple(_early(content)), filled=filled)


def _early(content: Content) -> Iterator[tuple[str, Place]]:
    for line in content.lines:
        for hole in line.text.holes:
            yield from ((name, line.place) for name in _OF_THE_JOB.findall(hole.shown))


def _option(each: tuple[str, str, str, int], ran: Ran) -> Option:
    name, value, written, _ = each
    hidden = "$" in value and name != "wrap"
    state = Unknown(f"{value} is known only when it is submitted") if hidden else Known(value)
    return Option(name, Located(state, ran.place), written)


def _with_files(job: SlurmJob, source: Source) -> SlurmJob:
    """Looks for what it names; a script that is found may name others."""
    if source.shown != STDIN and not job.within and may_be_refused(job):
        job = replace(job, submitted=_submitter(job, source))
    if source.shown != STDIN and any(request.mig_said for request in job.requests):
        job = replace(job, slices=allowed_slices(_other_requests(source)))
    if source.shown != STDIN and any(request.option("partition") for request in job.requests):
        job = replace(job, cluster=_cluster(source))
    for _ in range(_DEEPEST):
        try:
            names = job.named_files - job.beside.keys()
        except NotKnown:
            break
        found = {name: _look(name, source) for name in names}
        if not found:
            break
        job = job.with_files(found)
    late = {each.folder for each in logs_made_too_late(job)} if source.shown != STDIN else set()
    there = frozenset(each for each in late if _is_made_before(each, source))
    return replace(job, log_folders=there) if there else job


def _is_made_before(folder: str, source: Source) -> bool:
    """Whether the folder is there, or is made by something that is no job."""
    if any((above / folder).is_dir() for above in folders_above(source.path)):
        return True
    makes = re.compile(rf"\bmkdir\b[^\n]*(?<![\w/]){re.escape(folder)}(?![\w-])".encode())
    return any(not _IS_A_JOB.search(each.data) for each in source.scope.holding(makes, _SUBMITS, (b"mkdir",)))


def _cluster(source: Source) -> SlurmConf | None:
    """The cluster's slurm.conf. Of two nobody knows to which one a job is submitted. Imported only where there is
    one."""
    found = source.scope.called("slurm.conf")
    data = source.scope.read(found[0]) if len(found) == 1 else None
    if data is None:
        return None
    from nodeworthy.facts.slurm.configuration import slurm_conf

    return slurm_conf(any_text(data), Place(os.path.relpath(found[0])))


def _submitter(job: SlurmJob, source: Source) -> str:
    """Who hands this very file to sbatch: a person who follows its own comment, or a script."""
    name = re.escape(source.path.name)
    call = re.compile(rf"\bsbatch\b[^\n|<>;&]*?[\s\"'](?P<folder>(?:[\w.-]+/)*){name}(?![\w.-])".encode())
    rows = (row for row in job.text.splitlines() if row.lstrip().startswith("#"))
    if any(call.search(row.encode()) for row in rows):
        return "whoever follows its own comment"
    own = os.path.realpath(source.path)
    for each in source.scope.holding(call, _SUBMITS, (b"sbatch",)):
        folders = {found["folder"].decode() for found in call.finditer(each.data)}
        if os.fspath(each.path) == own or _FILLS_IN.search(each.data):
            continue
        if any(_is_there(folder, each.path, own) for folder in folders):
            return os.path.relpath(each.path)
    return ""


def _is_there(folder: str, caller: Path, own: str) -> bool:
    """Whether the file lies in such a folder, seen from somewhere above; a bare name means a file beside the caller."""
    lies = Path(own).parent
    written = "/".join(each for each in folder.split("/") if each not in ("", ".", ".."))
    return f"{lies}/".endswith(f"/{written}/") if written else Path(os.path.realpath(caller)).parent == lies


def _other_requests(source: Source) -> list[SlurmRequest]:
    """The requests of the repository's other jobs that ask for slices."""
    own = os.path.realpath(source.path)
    held = (each for each in source.scope.holding(_SLICES) if os.fspath(each.path) != own)
    found = []
    for each in islice(held, _MOST_OTHERS):
        place = Place(path=os.fspath(each.path))
        found.append(SlurmRequest(place, options_of(any_text(each.data), place)))
    return found


def paths_asked_for(job: SlurmJob) -> Iterator[Path]:
    """Where its files were looked for, found or not; what else its scope holds is noted there."""
    if job.place.path is not None:
        folders = list(folders_above(Path(job.place.path)))
        yield from (folder / name for folder in folders for name in job.beside)


def _look(name: str, source: Source) -> NamedFile:
    if source.shown == STDIN:
        return NamedFile(None)
    for folder in folders_above(source.path):
        path = folder / name
        try:
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                text = _whole(path, status.st_size, source) if source.reaches(path) else None
                return NamedFile(os.path.relpath(path), text)
        except (OSError, ValueError):
            continue
    if name.startswith("/"):
        return NamedFile(None)
    lying = lying_as(name, source)
    if lying:
        # One of several of this name is there, and nobody knows which of them is meant.
        text = _whole(lying[0], lying[0].stat().st_size, source) if len(lying) == 1 else None
        return NamedFile(os.path.relpath(lying[0]), text)
    return NamedFile(None, expected=expected_path(name, source))


def _whole(path: Path, size: int, source: Source) -> str | None:
    """What stands in it, and of a program in Python what it imports from beside it: ranks are often read there."""
    text = _text(path, size)
    if text is None or path.suffix != ".py":
        return text
    texts = (_text(each, each.stat().st_size) or "" for each in imported_modules(text, path, source))
    return "\n".join([text, *texts])


def _text(path: Path, size: int) -> str | None:
    if size > _LONGEST or path.suffix not in _READ:
        return None
    return path.read_text(encoding="utf-8", errors="replace")


def configuration(called: str, text: str, place: Place) -> Iterator[Fact]:
    """What stands in a file that Slurm itself reads."""
    from nodeworthy.facts.slurm.configuration import KEPT_BY_SLURM, gres_conf, slurm_conf

    yield PlainText(place, text, called, KEPT_BY_SLURM)
    if called == "slurm.conf":
        yield slurm_conf(text, place)
    elif called == "gres.conf":
        yield gres_conf(text, place)
    elif called == "cgroup.conf":
        from nodeworthy.facts.slurm.configuration_faults import cgroup_conf

        yield cgroup_conf(text, place)
