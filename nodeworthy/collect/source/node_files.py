"""Files of a node, on the way to being read: most files are none, and cost a glance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nodeworthy.collect.source.parsing import Refused
from nodeworthy.scene import Fact

if TYPE_CHECKING:
    from nodeworthy.facts.node.files import NodeFile
    from nodeworthy.fleet.model import Fleet

# What to do about a secret in one of them.
ON_A_NODE = (
    "let whatever builds the node fetch it from a store and fill it in, or give kubelet a credential provider; "
    "then change it, for it has been seen"
)
# One of these stands in every such file about which there is something to say.
_MARKS = (
    b"io.containerd.",
    b"plugins.cri",
    b"\nimports",
    b"\ndisabled_plugins",
    b"[host",
    b"[mirror",
    b"\nserver",
    b"\nmirrors:",
    b"\nconfigs:",
    b'-registries"',
    b'-mirrors"',
    b'-opts"',
    b'-driver"',
    b'"default-runtime"',
    b"NVreg_",
    b"\noptions ",
    b"\nblacklist ",
)
# Nobody's node is configured in more.
_LARGEST = 512 * 1024
# What begins so is a script, an archive or a document of some other kind.
_OTHERS = (b"#!", b"#cloud-config", b"\x1f\x8b", b"<", b"package ", b"import ", b"from ", b'"""')


def node_file(data: bytes, shown: str, lies: str = "") -> NodeFile | None:
    """Where it `lies`, as an absolute path, says which files belong to it."""
    if data.startswith(_OTHERS) or len(data) > _LARGEST:
        return None
    # A mark that begins its line may begin the file.
    lines = b"\n" + data
    if not any(mark in lines for mark in _MARKS):
        return None
    from nodeworthy.collect.source import node_file_reading

    return node_file_reading.node_file(data, shown, lies or shown)


def refuse_unparsed(file: NodeFile) -> None:
    """Raises Refused: nothing more can be said of it than where it can't be read."""
    from nodeworthy.collect.source.node_file_reading import fault

    found = fault(file)
    if found is not None:
        raise Refused(*found)


def files_of_nodes(files: Sequence[NodeFile], fleet: Fleet | None, why: str) -> Iterable[Fact]:
    """Those that belong together are one node's."""
    if not files:
        return ()
    from nodeworthy.facts.node.files import together
    from nodeworthy.facts.node.pools import of_pools

    return [of_pools(each, fleet, why) for each in together(files)]
