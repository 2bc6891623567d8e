"""What tools are told to run on machines: Lima's `provision`, what kops adds to its user data and its hooks call,
k0sctl's hooks, Rancher's machine configs, Systems Manager's command documents, the components of Image Builder, and
Butane's files that a unit runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.given_script import ScriptLines, commands, given_script, script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

# Looked for in the whole text before anything is read.
TELLS = pattern(
    r"(?m)^provision:|\badditionalUserData:|\bfileAssets:|\bk0sctl\.k0sproject\.io/|\brke-machine-config\.cattle\.io/|"
    r"\baws:runShellScript\b|\bExecuteBash\b|(?m:^variant:)",
    words=(
        "provision:",
        "additionalUserData:",
        "fileAssets:",
        "k0sctl.",
        "machine-config",
        "runShell",
        "ExecuteBash",
        "variant:",
    ),
    in_a_line=True,
)
_FILLED_IN = pattern(r"\{\{[ \t]*+[\w:./-]++[ \t]*+\}\}", words=("{{",))
_SHELLS = ("text/x-shellscript", "text/cloud-config", "text/cloud-boothook")


def scripts_of_tools(document: Tree) -> Iterator[BootScript]:
    """The scripts that make their machine a node."""
    found = (script for read in _READERS for script in read(document))
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
    spec = document.get("spec")
    texts = [
        each.get("content") for each in spec.get("additionalUserData").sequence if each.get("type").text in _SHELLS
    ]
    started = " ".join(each.get("manifest").string for each in spec.get("hooks").sequence)
    for each in spec.get("fileAssets").sequence:
        path = each.get("path").string
        if path and path in started and each.get("isBase64").value is not True:
            texts.append(each.get("content"))
    for text in texts:
        script = given_script(text, "the user data")
        if script is not None:
            yield replace(script, of_cloud_images=True)


def _of_k0sctl(document: Tree) -> Iterator[BootScript]:
    """Of each host one after the other, before k0s is there and behind it; where one fails, k0sctl stops."""
    if not document.get("apiVersion").string.startswith("k0sctl.k0sproject.io/"):
        return
    for host in document.get("spec", "hosts").sequence:
        hooks = host.get("hooks", "apply")
        steps = [*commands(hooks.get("before")), *commands(hooks.get("after"))]
        yield from _by_hand(steps, stops=True)


def _of_rancher(document: Tree) -> Iterator[BootScript]:
    """A machine config has its driver's options as its own fields."""
    if not document.get("apiVersion").string.startswith("rke-machine-config.cattle.io/"):
        return
    for name in ("userdata", "userData", "cloudConfig"):
        script = given_script(document.get(name), "the user data")
        if script is not None:
            yield replace(script, on_ec2=document.get("kind").text == "Amazonec2Config", of_cloud_images=True)


def _of_systems_manager(document: Tree) -> Iterator[BootScript]:
    """A command document: of each step the lines are one script, which goes on where nothing says otherwise."""
    if document.get("schemaVersion").text is None:
        return
    for step in document.get("mainSteps").sequence:
        if step.get("action").text == "aws:runShellScript":
            yield from _by_hand(_lines_of(step.get("inputs", "runCommand")))


def _of_image_builder(document: Tree) -> Iterator[BootScript]:
    """A component: each step is a script of its own, of whose end alone the build hears."""
    for phase in document.get("phases").sequence if document.get("schemaVersion").written else ():
        for step in phase.get("steps").sequence if phase.get("name").text in ("build", "install") else ():
            if step.get("action").text == "ExecuteBash":
                for script in _by_hand(_lines_of(step.get("inputs", "commands"))):
                    yield replace(script, is_build=True)


def _lines_of(listed: Tree) -> list[ScriptLines]:
    """What such a document fills in when it is run is no word that anybody knows."""
    return [replace(each, text=_FILLED_IN.sub("${filled_in}", each.text)) for each in commands(listed)]


def _by_hand(steps: Sequence[ScriptLines], *, stops: bool = False) -> Iterator[BootScript]:
    script = script_of(steps, on_ec2=False, stops=stops)
    if script is not None:
        yield replace(script, of_an_object=False, by_hand=True)


def _of_butane(document: Tree) -> Iterator[BootScript]:
    """What Ignition lays on the disk, where one of its units runs it at every boot."""
    if document.get("variant").text is None:
        return
    units = " ".join(each.get("contents").string for each in document.get("systemd", "units").sequence)
    for file in document.get("storage", "files").sequence:
        path, text = file.get("path").string, file.get("contents", "inline")
        script = given_script(text, "the file") if path and f"={path}" in units and text.string[:2] == "#!" else None
        if script is not None:
            yield replace(script, of_an_object=False, at_startup=True, on_ec2=False, of_cloud_images=True)


_READERS = (_of_butane, _of_lima, _of_kops, _of_k0sctl, _of_rancher, _of_systems_manager, _of_image_builder)
