"""What an effective configuration of containerd's says of its runtimes."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.verdict import Known, Located

# Where the CRI plugin keeps its runtimes: containerd 2.x, then 1.x. A dump shows only what is in effect, so a section
# under the other's name is not there.
_CRI_PLUGINS = ("io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri")


# Where it keeps its own address: the fourth version of its files, which 2.3 writes, makes servers plugins.
_SERVERS = (("plugins", "io.containerd.server.v1.grpc"), ("grpc",))


def address(dump: Tree) -> str | None:
    """Where an effective configuration lets it listen."""
    return next((told for each in _SERVERS if (told := dump.get(*each, "address").text)), None)


def default_runtime(dump: Tree) -> Located[str | None]:
    """What pods get that name no RuntimeClass, in an effective configuration."""
    for plugin in _CRI_PLUGINS:
        named = dump.get("plugins", plugin, "containerd", "default_runtime_name")
        if named.text:
            return Located(Known(named.text), named.place)
    if dump.is_unknown:
        return dump.located()
    return Located(Known(None), dump.place, written=False)


def registry_folders(dump: Tree) -> Located[tuple[str, ...]]:
    """Where it looks for what it is told of registries; none where nobody has said it."""
    for plugin in ("io.containerd.cri.v1.images", "io.containerd.grpc.v1.cri"):
        path = dump.get("plugins", plugin, "registry", "config_path")
        if path.text:
            return Located.known(tuple(each for each in path.text.split(":") if each), path.place)
    if dump.is_unknown:
        return dump.located()
    return Located(Known(()), dump.place, written=False)


def handlers(dump: Tree) -> Located[tuple[str, ...]]:
    """The runtimes in an effective configuration."""
    for plugin in _CRI_PLUGINS:
        runtimes = dump.get("plugins", plugin, "containerd", "runtimes")
        if runtimes.is_mapping:
            return Located.known(tuple(sorted(runtimes.mapping)), runtimes.place)
    if dump.is_unknown:
        return dump.located()
    disabled = {each.text for each in dump.get("disabled_plugins").sequence}
    if disabled & {"cri", *_CRI_PLUGINS}:
        return Located.known((), dump.get("disabled_plugins").place)
    return Located.unknown("its configuration has no CRI plugin that we know", dump.place)


def programs(dump: Tree) -> Mapping[str, str]:
    """The program that each runtime names in the place of runc."""
    tables = [dump.get("plugins", plugin, "containerd", "runtimes") for plugin in _CRI_PLUGINS]
    named = {name: each.get("options", "BinaryName").text for table in tables for name, each in table.mapping.items()}
    return {name: path for name, path in named.items() if path}
