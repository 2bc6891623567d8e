"""What tools that start machines are told to run on them: Lima's `provision`, and what kops adds to its user data."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.given_script import ScriptLines, given_script, script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

# Looked for in the whole text before anything is read.
TELLS = pattern(r"(?m)^provision:|\badditionalUserData:", words=("provision:", "additionalUserData:"))
_SHELLS = ("text/x-shellscript", "text/cloud-config", "text/cloud-boothook")


def scripts_of_tools(document: Tree) -> Iterator[BootScript]:
    """The scripts of Lima and kops that make the machine a node."""
    found = [*_of_lima(document), *_of_kops(document)]
    yield from (each for each in found if each.makes_a_node)


def _of_lima(document: Tree) -> Iterator[BootScript]:
    """Lima runs them at every boot, each in a shell of its own, on an image of a cloud, and goes on where one fails."""
    entries = [each for each in document.get("provision").sequence if each.get("script").text is not None]
    if not entries or document.get("images").is_absent is document.get("base").is_absent:
        return
    # Where a probe looks whether it is there, what fails is heard of.
    heard = "set -eo pipefail\n" if document.get("probes").sequence else ""
    for each in entries:
        told = each.get("script")
        script = script_of([ScriptLines(f"{heard}{told.text}", told, own_from=heard.count("\n"))], on_ec2=False)
        if script is not None and each.get("mode").text in (None, "system"):
            yield replace(script, of_an_object=False, at_startup=True, of_cloud_images=True)


def _of_kops(document: Tree) -> Iterator[BootScript]:
    if not document.get("apiVersion").string.startswith("kops.k8s.io/"):
        return
    for each in document.get("spec", "additionalUserData").sequence:
        if each.get("type").text in _SHELLS:
            script = given_script(each.get("content"), "the user data")
            if script is not None:
                yield replace(script, of_cloud_images=True)
