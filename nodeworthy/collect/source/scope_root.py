"""How far the evidence about a file reaches: up to a folder that follows from where it lies, and from nothing else."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.documents.files import REPOSITORY, holds, up_to_everybodys
from nodeworthy.settings.find import OWN

# A folder that holds one of these is where somebody's project begins; the first row that any folder above has decides,
# a repository's before all.
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
