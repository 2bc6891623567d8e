"""What containers do to the node around them: by `nsenter` into its first process, or in its disk that is mounted.

A pod that installs a driver, switches a firewall off or joins a machine does so with a script in its command, or with
one that a ConfigMap holds. What the script does within its own container is no node's affair.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from nodeworthy.boot.shell.nested import SHELLS
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.given_script import ScriptLines, given_script, script_of
from nodeworthy.facts.boot.remote_script import remote_scripts, sending_script
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact

# What leads out of a container; looked for in the whole text before anything is read.
LEADS_OUT = pattern(r"\bnsenter\b|\bchroot[\"',\s-]{1,12}/(?:host|rootfs|mnt/host|node)")
_PROGRAMS = ("nsenter", "chroot")
_PODS = (("spec",), ("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))
_TAKES_A_TEXT = pattern(r"-\w{0,6}c")


def scripts_in_pods(document: Tree) -> Iterator[Fact | BootScript]:
    """Scripts of the node itself, and those of containers that send it some."""
    if document.get("kind").text == "ConfigMap":
        for each in document.get("data").mapping.values():
            if each.string.startswith("#!") and LEADS_OUT.search(each.string):
                yield from _sent_by(each)
        return
    for path in _PODS:
        pod = document.get(*path)
        for container in (*pod.get("initContainers").sequence, *pod.get("containers").sequence):
            words = [*container.get("command").sequence, *container.get("args").sequence]
            yield from _of_container(words)


def _of_container(words: Sequence[Tree]) -> Iterator[Fact | BootScript]:
    said = [each.string for each in words]
    if not any(map(LEADS_OUT.search, (*said, " ".join(said)))):
        return
    text = next((words[at + 1] for at, each in enumerate(said[:-1]) if _TAKES_A_TEXT.fullmatch(each)), None)
    if said[0].rpartition("/")[2] in _PROGRAMS:
        yield from _of_the_node(words, text)
    elif text is not None and said[0].rpartition("/")[2] in SHELLS:
        yield from _sent_by(text)


def _of_the_node(words: Sequence[Tree], text: Tree | None) -> Iterator[BootScript]:
    """All of it is the node's: what a shell there is given, or the command itself."""
    if text is not None:
        steps = [ScriptLines(text.string, text)]
    else:
        steps = [ScriptLines(shlex.join(each.string for each in words), words[0])]
    script = script_of(steps, on_ec2=False)
    if script is not None:
        script = replace(script, of_an_object=False, by_hand=True)
        if script.makes_a_node:
            yield script


def _sent_by(text: Tree) -> Iterator[Fact]:
    script = given_script(text, "the script of a container")
    if script is not None:
        script = replace(script, of_an_object=False, by_hand=True)
        yield from remote_scripts(script)
        yield from sending_script(script)
