"""What a node said when it was asked, in parts, and what is found in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from tests.case_files import whole
from tests.facts.readers.files import told
from tests.node.recordings import but, part, without


@cache
def _well() -> Recording:
    """Eight H100 on EKS, on which nothing is amiss."""
    return load(whole("kubelet-survives-reboot/good-node-nodeadm-starts-it") / "node.json")


def _host(given: str) -> Iterator[str]:
    """Its first line names rules, and facts by their types; then come the parts that say something else than those of a
    node that is well. Each begins with a line `== its name`; `== name ends with 2: why` is one that failed, and
    `== without name` one that was not asked for."""
    asked, _, rest = given.partition("\n")
    recording = _well()
    for each in f"\n{rest}".split("\n== ")[1:]:
        title, _, said = each.partition("\n")
        if title.startswith("without "):
            recording = without(recording, title.removeprefix("without "))
            continue
        name, _, ended = title.partition(" ends with ")
        code, _, why = ended.partition(": ")
        recording = but(recording, part(name, said, code=int(code or 0), stderr=why))
    yield from told([scene(AskedHost(recording.host, recording), Declared(None))], asked.split())


READERS = {"hosts": _host}
