"""Which pools' nodes files are for: those whose runtime reads them, where these agree with each other."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.node.files import NodeFile, NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.containerd import Containerd, defaults, takes_base_dir
from nodeworthy.records import replace
from nodeworthy.verdict import Known, need

_READ = (NodeFileKind.CONFIG, NodeFileKind.HOSTS, NodeFileKind.REGISTRIES)


def with_its_pools(files: NodeFiles, fleet: Fleet | None, why: str) -> NodeFiles:
    if fleet is None:
        return replace(files, no_pool=why)
    pools = [
        BootPool(pool, fleet) for pool in _pools_by_name(files, [each for each in fleet.pools if _reads(files, each)])
    ]
    if not pools:
        return replace(files, no_pool="no pool of the fleet reads such files")
    if files.of(*_READ) and len({_read_by(files, each) for each in pools}) > 1:
        names = ", ".join(each.title for each in pools)
        return replace(files, no_pool=f"which pool they are for is not known: {names} do not read them alike")
    return replace(files, pools=tuple(pools))


def _read_by(files: NodeFiles, pool: BootPool) -> tuple[str, str | None, str | None]:
    runtime = need(pool.pool.runtime)
    return runtime.distribution, runtime.config, files.version(pool)


def _pools_by_name(files: NodeFiles, pools: Sequence[Pool]) -> Sequence[Pool]:
    """The pools after which a folder or a file is named, if any."""
    words = {word for each in files.files for word in re.split(r"[^a-z0-9]+", _below(each, pools).lower())}
    return [pool for pool in pools if pool.name.lower() in words] or pools


def _below(file: NodeFile, pools: Sequence[Pool]) -> str:
    """The path from the fleet's folder on: what lies above that has other names."""
    if not file.lies:
        return file.place.file
    fleet = next((each.place.path for each in pools if each.place.path), "")
    folder = os.path.dirname(os.path.abspath(fleet))  # noqa: PTH120 - a path as text
    return os.path.relpath(file.lies, folder) if file.lies.startswith(folder) else os.path.basename(file.lies)  # noqa: PTH119


def _reads(files: NodeFiles, pool: Pool) -> bool:
    state = pool.runtime.state
    if not isinstance(state, Known) or not (state.value.is_containerd or not files.of(*_READ)):
        return False
    runtime, shown = state.value, files.runtime(None)
    if shown is not None and (files.is_laid_out or not runtime.templates):
        return shown.distribution == runtime.distribution
    if shown is not None or files.of(NodeFileKind.REGISTRIES):
        return runtime.registries is not None
    return not files.of(NodeFileKind.CONFIG, NodeFileKind.HOSTS) or _is_stock(runtime)


def _is_stock(runtime: Containerd) -> bool:
    return runtime.config == defaults().config or takes_base_dir(runtime.distribution)
