"""How far one looks upwards from a folder: for stack files and settings, for evidence about a file. It follows from
where the folder lies, and from nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.documents.files import REPOSITORY, holds, up_to_everybodys
from nodeworthy.patterns import pattern
from nodeworthy.settings.find import OWN

STACK_FILE = pattern(r"Pulumi\.(?P<stack>[^/]+)\.ya?ml")
# A folder that holds one of these is where somebody's project begins; the first row that any folder above has decides,
# a repository's before all.
_FLEET = ("Pulumi.yaml", OWN)
_PROJECT = (
    *("Chart.yaml", "helmfile.yaml", "helmfile.yaml.gotmpl", "ansible.cfg", "pyproject.toml", "go.mod", "package.json"),
    *("cdk.json", "terragrunt.hcl", "main.tf", "versions.tf", ".terraform.lock.hcl", "Makefile", "flake.nix"),
)


def upwards(folder: Path) -> list[Path]:
    """The folders up to the scope's root: the repository's, or outside of one that of the nearest fleet or project."""
    above = [folder, *folder.parents]
    return above[: above.index(root_of(folder)) + 1]


def up_to_repository(folder: Path) -> list[Path]:
    """The folders up to the repository's root; outside of a repository the folder alone. Settings, which may name code
    that is run, reach no further."""
    above = [folder, *folder.parents]
    for index, each in enumerate(above):
        if (each / ".git").exists():
            return above[: index + 1]
    return above[:1]


def root_of(folder: Path) -> Path:
    """The repository's root; outside of one the nearest folder of a fleet, else of a project; else the folder itself.
    The folder is absolute."""
    above = [os.fspath(each) for each in (folder, *folder.parents)]
    for each in above:
        if holds(each, REPOSITORY):
            return Path(each)
    owned = list(up_to_everybodys(above))
    for each in owned:
        if holds(each, _FLEET) or _has_stack_file(each):
            return Path(each)
    return Path(next((each for each in owned if holds(each, _PROJECT)), above[0]))


def _has_stack_file(folder: str) -> bool:
    try:
        return any(STACK_FILE.fullmatch(name) for name in os.listdir(folder) if name.startswith("Pulumi."))
    except OSError:
        return False
