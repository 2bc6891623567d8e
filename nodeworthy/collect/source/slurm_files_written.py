"""Slurm's own files as a script, cloud-init or Ansible writes them while a machine boots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Text
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.slurm.configuration import gres_conf, slurm_conf
from nodeworthy.facts.slurm.configuration_faults import cgroup_conf
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import NotKnown

# Where Slurm looks for it, and not where somebody keeps an example.
_OF_SLURM = pattern(r"/(?:[\w.-]+/)*slurm[\w.-]*/(?:etc/)?(?P<name>slurm|gres|cgroup)\.conf")


def slurm_files_written(script: BootScript) -> Iterator[Fact]:
    """Each as far as the script itself makes it, once. What it appends to a file that was there is a part of it."""
    try:
        every = list(script.timeline.of(Writes))
    except NotKnown:  # what can't be read of it, other rules tell
        return
    written: dict[str, list[Writes]] = {}
    for each in every:
        if _OF_SLURM.fullmatch(each.path.known or "") is not None:
            written.setdefault(each.path.string, []).append(each)
    for steps in written.values():
        content = steps[-1].whole
        if content is not None and content.lines:
            yield from _facts_of(steps, content)


def _facts_of(steps: Sequence[Writes], content: Content) -> Iterator[Fact]:
    last, lines = steps[-1], [each.place for each in content.lines]
    text = "\n".join(_in_one_spelling(each.text) for each in content.lines)
    # Where the lines depend on something, or are changed afterwards, single ones are judged, and not the file.
    is_sure = len(steps) == 1 and last.how is How.WRITE and not last.conditions
    if last.path.string.endswith("/slurm.conf"):
        conf = slurm_conf(text, lines[0], lines)
        yield conf if is_sure else replace(conf, includes=True)
    elif last.path.string.endswith("/cgroup.conf"):
        yield cgroup_conf(text, lines[0], lines)
    elif is_sure:
        yield gres_conf(text, lines[0], lines)


def _in_one_spelling(text: Text) -> str:
    """What the shell fills in stands there as one word, as in a template."""
    return "".join(each if isinstance(each, str) else _as_a_word(each.shown) for each in text.pieces).replace("\n", " ")


def _as_a_word(shown: str) -> str:
    """`$NODES` is `${NODES}` as well; what takes more than a word is told by none of its own."""
    name = shown.removeprefix("$").removeprefix("{").removesuffix("}")
    return f"${{{name}}}" if name.isidentifier() else "${…}"
