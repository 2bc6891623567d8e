"""Whether and how the boot ended."""

from __future__ import annotations

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines
from nodeworthy.verdict import Located, Place


def boot_ended(recording: Recording, host: Place) -> Located[bool]:
    return Located.known(bool(set(lines(recording, "boot")) & {"none", "finished"}), host.about("boot"))
