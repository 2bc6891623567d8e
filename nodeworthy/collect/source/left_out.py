"""What the kustomization of its folder leaves out: whoever applies the folder installs nothing of it.

A kustomization applies what it names, and no other file beside it. What such a file would install meets nothing in the
cluster: an old manifest of a device plugin is no second one. What it says is judged all the same, alone: somebody may
apply it by hand. A pod, a claim or a class is left where it lies, for by hand it is applied to what is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nodeworthy.collect.source.completed_values import KUSTOMIZATIONS, is_loose
from nodeworthy.collect.source.files import STDIN, Source
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact

_COMMENT = pattern(rb"(?m)(?:^|[ \t])#.*$")
_NAME = pattern(rb"[\w.-]+")


def is_left_out(source: Source) -> bool:
    """Whether its folder has a kustomization that does not name it, whatever it would be named for."""
    path = Path(source.lies)
    if source.shown == STDIN or path.name in KUSTOMIZATIONS:
        return False
    beside = (source.scope.read(path.parent / name) for name in KUSTOMIZATIONS)
    said = next((each for each in beside if each is not None), None)
    if said is None:
        return False
    return path.name.encode() not in _NAME.findall(_COMMENT.sub(b"", said))


def what_it_installs(found: FileContents, installs: Callable[[Fact], bool]) -> FileContents | None:
    """What it installs; the rest of it stays. Values of no release are those of whatever names them."""
    apart = [installs(each) and not is_loose(each) for each in found.facts]
    every, found.facts = found.facts, [each for each, goes in zip(found.facts, apart, strict=True) if not goes]
    return FileContents(facts=[each for each, goes in zip(every, apart, strict=True) if goes]) if any(apart) else None
