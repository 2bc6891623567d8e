"""What job scripts say to Slurm, word by word."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.slurm.lines import holds_others, options_of
from nodeworthy.facts.slurm.request import SlurmRequest, duration_in_words, least, megabytes, seconds
from nodeworthy.facts.slurm.words import peel_words
from nodeworthy.verdict import NotKnown, Place
from tests.facts.readers.firewall import words_of
from tests.facts.shown import shown

HERE = Place("job.sh")
COUNTS = ("nodes", "tasks_per_node", "tasks", "gpus", "gpus_per_node")


def _quantity(given: str) -> Iterator[str]:
    """As a time, as memory, as a count."""
    time = seconds(given)
    said = f" ({duration_in_words(time)})" if time is not None else ""
    yield f"{time}{said}, {megabytes(given)}, {least(given)}"


def _lines(given: str) -> Iterator[str]:
    options = options_of(given, HERE)
    yield from map(shown, options)
    if holds_others(given, options):
        yield "it holds others"
    request = SlurmRequest(HERE, options)
    for name in COUNTS:
        try:
            yield f"{name}: {shown(getattr(request, name))}"
        except NotKnown as why:
            yield f"{name}: {shown(why.place)} {why}"


def _words(given: str) -> Iterator[str]:
    found = peel_words(words_of(given), {})
    yield f"{found.program!r} {shown(found.words)}{' in a container' if found.in_container else ''}"
    yield f"wrappers {found.wrappers}, {shown(found.step)}, timeout {shown(found.timeout)}, {shown(found.environment)}"


READERS = {"slurm_quantities": _quantity, "slurm_lines": _lines, "slurm_words": _words}
