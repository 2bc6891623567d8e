"""The cloud in which machines boot with a script: by their pool, its content, what refers to it, its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.fleet.os import EKS
from nodeworthy.known import clouds
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.surroundings import Reference, Surroundings

_EC2 = "ec2"
# How many places that name it are looked at.
_MOST = 64
# What is remembered of a scope.
_CLOUD = "cloud"
# A cloud is said in these; in others people only speak of it.
_PROGRAMS = (".tf", ".tofu", ".hcl", ".json", ".yaml", ".yml", ".py", ".ts", ".go")
_PROVIDER = pattern(
    rb'(?m)^[ \t]*provider[ \t]+"\w+"|required_providers|^[ \t]*import[^\n]*pulumi|^resource[ \t]+"',
    words=(b"provider", b"pulumi", b"resource"),
    in_a_line=True,
)


def cloud_of(script: BootScript) -> clouds.Cloud | None:
    if (script.of_an_object and script.on_ec2) or (script.place.urn is not None and script.place.urn.count(":aws:")):
        return clouds.cloud(_EC2)
    if any(_is_eks(each.pool.distribution.state) for each in script.pools):
        return clouds.cloud(_EC2)
    text = script.userdata.text
    return clouds.cloud_of_script(text) or _of_surroundings(script, script.surroundings)


def _is_eks(distribution: object) -> bool:
    return isinstance(distribution, Known) and distribution.value in EKS


def _of_surroundings(script: BootScript, around: Surroundings | None) -> clouds.Cloud | None:
    if around is None or script.place.path is None:
        return None
    # What is user data by its form needs nobody to say it, and who names it says for which machines.
    for reference in script.use.said_by or _programs_that_name(Path(script.place.path), around):
        found = clouds.cloud_of_file(around.read(reference.path) or b"")
        if found is not None:
            return found
    named = clouds.cloud_of_folders(around.folders_of(Path(script.place.path)))
    return named or _of_providers(around)


def _programs_that_name(path: Path, around: Surroundings) -> list[Reference]:
    return [each for each in around.references_to(path)[:_MOST] if each.path.suffix in _PROGRAMS]


def _of_providers(around: Surroundings) -> clouds.Cloud | None:
    """The only one in which the programs of the scope make anything."""
    if _CLOUD not in around.remembered:
        found: set[str] = set()
        for held in around.holding(_PROVIDER, _PROGRAMS):
            found.update(each.key for each in clouds.clouds() if each.file_sign.search(held.data))
        around.remembered[_CLOUD] = found.pop() if len(found) == 1 else ""
    key = around.remembered[_CLOUD]
    return clouds.cloud(key) if key else None
