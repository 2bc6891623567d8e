"""How far the evidence about a file reaches: up to a folder that follows from where it lies, and from nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.settings.find import OWN

# A folder that holds one of these is where somebody's project begins; the first row that any folder above has decides.
_REPOSITORY = (".git", ".hg")
_FLEET = ("Pulumi.yaml", OWN)
_PROJECT = (
    *("Chart.yaml", "helmfile.yaml", "helmfile.yaml.gotmpl", "ansible.cfg", "pyproject.toml", "go.mod", "package.json"),
    *("cdk.json", "terragrunt.hcl", "main.tf", "versions.tf", ".terraform.lock.hcl", "Makefile", "flake.nix"),
)


def root_of(folder: Path) -> Path:
    """The repository's root; outside of one the nearest folder of a fleet, else of a project; else the folder itself.
    The folder is absolute."""
    above = [os.fspath(each) for each in (folder, *folder.parents)]
    for each in above:
        if _holds(each, _REPOSITORY):
            return Path(each)
    owned = list(_up_to_everybodys(above))
    for each in owned:
        if _holds(each, _FLEET) or _has_stack_file(each):
            return Path(each)
    return Path(next((each for each in owned if _holds(each, _PROJECT)), above[0]))


def tree_of(folder: str | Path, named: str = "") -> str:
    """The tree out of which nothing is read that nobody named, links resolved: the repository's, outside of one the
    folder that was named; of a file that was, the highest folder above it that is somebody's own."""
    lies = os.path.realpath(folder)
    above = [lies, *map(os.fspath, Path(lies).parents)]
    repository = next((each for each in above if _holds(each, _REPOSITORY)), None)
    if repository is not None:
        return repository
    return os.path.realpath(named) if named else list(_up_to_everybodys(above))[-1]


def leads_out(path: str | Path, tree: str) -> bool:
    """Whether what stands at this path, links resolved, lies somewhere else than below this folder."""
    real = os.path.realpath(path)
    return real != tree and not real.startswith(f"{tree.rstrip('/')}/")


def _up_to_everybodys(above: Iterable[str]) -> Iterable[str]:
    """Folders where everybody may write, a user's home and the disk's root are nobody's project."""
    homes = {"/", os.path.expanduser("~")}  # noqa: PTH111 - a user without a home is no fault here
    for index, each in enumerate(above):
        if index and (each in homes or _is_everybodys(each)):
            return
        yield each


def _is_everybodys(folder: str) -> bool:
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)  # noqa: PTH116 - of every folder above, at every run
    except OSError:
        return True


def _holds(folder: str, names: Iterable[str]) -> bool:
    return any(os.path.exists(f"{folder}/{name}") for name in names)  # noqa: PTH110 - of every folder above


def _has_stack_file(folder: str) -> bool:
    try:
        return any(STACK_FILE.fullmatch(name) for name in os.listdir(folder) if name.startswith("Pulumi."))
    except OSError:
        return False
