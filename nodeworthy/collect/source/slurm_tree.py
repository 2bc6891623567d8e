"""The tree of files from which a job is submitted: where its scripts may lie, and whether they should lie there.

Nobody knows from which folder a job is submitted. A script that lies nowhere says something only where its tree does:
where other scripts lie beside the job or in its repository, and nothing brings this one.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from nodeworthy.collect.source.file_marks import JOB_LINE
from nodeworthy.collect.source.files import Source
from nodeworthy.patterns import pattern

# How far up a job's script may lie below the folder from which it is submitted.
_HIGHEST = 6
# A folder of jobs is one of a project's: what they start lies beside it.
_OF_JOBS = pattern(r"(?:(?:slurm|sbatch|batch|job)[-_]?)?(?:jobs?|scripts?|slurm|sbatch)", re.IGNORECASE)
_BRINGS = rb"(?:wget|curl|git\s+clone|gdown|rsync|scp|aws\s+s3|gsutil|rclone|huggingface-cli|https?://)"
_SUBMODULE = pattern(rb"^\s*path\s*=\s*(\S+)", re.MULTILINE)
_SHORTEST = 4
_IMPORT = pattern(r"^\s*(?:from|import)\s+(\.*[A-Za-z_][\w.]*)", re.MULTILINE)
_MOST_IMPORTS = 16


def folders_above(path: Path) -> Iterator[Path]:
    """A job begins where it is submitted: beside its script, or in a folder above it, up to the repository's root.
    Wherever the command is called."""
    folder = Path(os.path.realpath(path)).parent
    for _ in range(_HIGHEST):
        yield folder
        above = folder.parent
        if (folder / ".git").exists() or above == folder or _is_everybodys(above):
            return
        folder = above


def _is_everybodys(folder: Path) -> bool:
    """Folders in which everybody may write, a user's home and the disk's root are nobody's project."""
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH) or folder in (Path("/"), Path(os.path.expanduser("~")))  # noqa: PTH111 - a user without a home is no fault here
    except OSError:
        return True


def lying_as(name: str, source: Source) -> list[Path]:
    """Where it lies by this path below any folder of the repository: a job may be submitted from there."""
    behind = re.sub(r"^(?:\.\./)+", "", name)
    last = behind.rsplit("/", 1)[-1]
    found = [path for path in source.scope.called(last) if os.fspath(path).endswith(f"/{behind}")]
    source.scope.looked_for(found)
    return found


def imported_modules(text: str, path: Path, source: Source) -> list[Path]:
    """The modules of the same project that a program imports, one step far."""
    root = source.scope.root
    tops = [each for each in path.parents if each == path.parent or (root is not None and each.is_relative_to(root))]
    found: dict[Path, None] = {}
    for module in dict.fromkeys(_IMPORT.findall(text)):
        steps = module.strip(".").replace(".", "/")
        candidates = [top / each for top in tops for each in (f"{steps}.py", f"{steps}/__init__.py") if steps]
        # Whoever keeps an answer looks again when one of them changes, or comes.
        source.scope.looked_for(candidates)
        lies = next((each for each in candidates if each.is_file() and source.reaches(each)), None)
        if lies is not None and lies != path:
            found[lies] = None
    return list(found)[:_MOST_IMPORTS]


def expected_path(name: str, source: Source) -> str:
    """Where it should lie, as far as its surroundings show it; empty where they don't."""
    folders = list(folders_above(source.path))
    where = _among_its_like(name, folders, source) or _beside_jobs(name, folders)
    if not where or _is_submodule(name, source) or _is_left_to_others(name, source):
        return ""
    if _is_brought(name, source) or _is_cloned(name, source):
        return ""
    return where


def _among_its_like(name: str, folders: list[Path], source: Source) -> str:
    """Other scripts lie beside the job, in its repository on the way up, or where the name says. Seen from the job."""
    suffix, first = os.path.splitext(name)[1], _first_folder(name)  # noqa: PTH122
    root = source.scope.root
    reached = [each for each in folders if each == folders[0] or (root is not None and each.is_relative_to(root))]
    for folder in reached:
        if "/" in name and (folder / first).is_dir():
            return os.path.relpath(folder / first, folders[0]) if any((folder / first).iterdir()) else ""
        if first.startswith(".."):
            continue
        like = _scripts_in(folder, suffix)
        own = Path(os.path.realpath(source.path))
        if any(each != own and not _is_job(each) for each in like):
            return os.path.relpath(folder, folders[0])
    return ""


def _first_folder(name: str) -> str:
    """The first that it names: what lies above is always there, and shows nothing."""
    parts = name.split("/")
    above = next((at for at, each in enumerate(parts) if each != ".."), 0)
    return "/".join(parts[: above + 1])


def _scripts_in(folder: Path, suffix: str) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.suffix == suffix and each.is_file())
    except OSError:
        return []


def _is_job(path: Path) -> bool:
    if path.suffix == ".py":
        return False
    try:
        return JOB_LINE.search(path.read_bytes()[: 64 * 1024]) is not None
    except OSError:
        return False


def _beside_jobs(name: str, folders: list[Path]) -> str:
    if "/" not in name or name.startswith("../") or len(folders) < 2 or _OF_JOBS.fullmatch(folders[0].name) is None:
        return ""
    return ".."


def _is_submodule(name: str, source: Source) -> bool:
    root = source.scope.root
    data = source.scope.read(root / ".gitmodules") if root is not None else None
    paths = (each.decode("utf-8", "replace") for each in _SUBMODULE.findall(data or b""))
    return any(f"/{name}".find(f"/{path.rsplit('/', 1)[-1]}/") >= 0 for path in paths)


def _is_left_to_others(name: str, source: Source) -> bool:
    """The repository does not keep the folder in which it lies: its .gitignore names it."""
    root = source.scope.root
    data = source.scope.read(root / ".gitignore") if root is not None else None
    kept_out = {each.strip().strip("/") for each in (data or b"").decode("utf-8", "replace").splitlines()}
    folders = [each for each in name.split("/")[:-1] if each not in (".", "..")]
    return not kept_out.isdisjoint("/".join(folders[:count]) for count in range(1, len(folders) + 1))


def _is_brought(name: str, source: Source) -> bool:
    """A line of another file fetches it: a setup script, a readme."""
    last = name.rsplit("/", 1)[-1].encode()
    if len(last) < _SHORTEST:
        return False
    line = re.compile(rb"^[^\n]*" + _BRINGS + rb"[^\n]*\b" + re.escape(last), re.MULTILINE)
    return any(JOB_LINE.search(held.data) is None for held in source.scope.holding(line, words=(last,)))


def _is_cloned(name: str, source: Source) -> bool:
    """A line of another file clones the repository in which it lies: `git clone https://github.com/pytorch/torchtitan`."""
    folders = [re.escape(each.encode()) for each in name.split("/")[:-1] if len(each) >= _SHORTEST]
    if not folders:
        return False
    behind = rb"(?:\.git)?/?[\"']?[ \t]*(?:[;&|#)`]|$)"
    line = re.compile(rb"\bgit\s+clone\b[^\n]*[\s/\"'](?:" + b"|".join(folders) + rb")" + behind, re.MULTILINE)
    return any(True for _ in source.scope.holding(line, words=(b"clone",)))
