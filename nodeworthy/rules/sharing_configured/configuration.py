"""Whether the device plugin can read a configuration that shares GPUs, and what it passes over in it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.sharing import (
    LEAST,
    MEANS,
    MOST_BY_MPS,
    MPS,
    TIME_SLICING,
    SharedResource,
    SharingConfig,
    is_advertised,
)
from nodeworthy.known.resources import SHARED
from nodeworthy.rules.sharing_configured import ENDS, MIXED, NONE, RULE, SINGLE, SLICE
from nodeworthy.verdict import Draft, Findings, Related, Severity, Unknown, fail, need, unknown

_IGNORED = "the device plugin passes it over without a word, and each GPU goes to one pod alone"


@RULE.check
def the_device_plugin_can_read_it(config: SharingConfig) -> Findings:
    if config.why_unread is not None:
        yield unknown(config, f"what {config.title} shares is not known: {config.why_unread}")
        return
    if not config.is_text:
        yield _no_text(config)
        return
    version = config.tree.get("version")
    if need(settle(version)) not in (None, "v1"):
        says = f"{config.title} is of a version that the device plugin does not have"
        yield fail(version.located(), says, should="v1", cause=f"it says unknown version, and {ENDS}",
                   remedy="write version: v1")  # fmt: skip
    for key, tree in config.misplaced:
        says = f"{config.title} says {key} where the device plugin does not read it"
        yield fail(tree.heading, says, is_=key, should=f"sharing.{key}", cause=_IGNORED,
                   remedy=f"move {key} below sharing")  # fmt: skip
    for key, tree in config.misspelt():
        said = f"{config.title} shares by {key}, which the device plugin does not know"
        yield fail(tree, said, is_=key, should=" or ".join(MEANS), cause=_IGNORED, remedy=f"name it {_near(key)}")
    for means in MEANS:
        yield from _of_means(config, means)
    yield from _of_both(config)


def _no_text(config: SharingConfig) -> Draft:
    return fail(
        config.tree.heading,
        f"{config.title} stands in its ConfigMap as a mapping, and a ConfigMap holds texts alone",
        is_="a mapping",
        should=f"a text: {config.key}: |-",
        cause="the API server refuses the ConfigMap (cannot unmarshal object into Go struct field ConfigMap.data of "
        "type string), and the device plugin finds none",
        remedy=f"write {config.key}: |- and what stands below it one level deeper",
    )


def _near(key: str) -> str:
    return MPS if "mps" in key.lower() else TIME_SLICING


def _of_means(config: SharingConfig, means: str) -> Iterator[Draft]:
    said = config.of(means)
    if said is None:
        return
    resources = said.get("resources")
    if isinstance(said.value, Unknown) or isinstance(resources.value, Unknown):
        yield unknown(said, f"which resources {config.title} shares is not known")
        return
    if not resources.sequence:
        should = f"resources: [{{name: nvidia.com/gpu, replicas: {LEAST}}}]"
        says = f"{config.title} names no resources under {means}"
        yield fail(said, says, is_="no resources", should=should, cause=ENDS, remedy=f"write {should}")
    for each in (each for each in config.resources() if each.means == means):
        yield from _of_resource(config, each)


def _of_resource(config: SharingConfig, each: SharedResource) -> Iterator[Draft]:
    name = need(each.name.located())
    if not isinstance(name, str) or not name:
        yield fail(
            each.tree,
            f"{config.title} shares a resource without a name",
            is_="no name",
            cause=ENDS,
            should="name: nvidia.com/gpu",
            remedy="write name: nvidia.com/gpu",
        )
        return
    yield from _of_replicas(config, each, name)
    yield from _of_devices(config, each, name)
    yield from _of_rename(config, each, name)
    if not is_advertised(name):
        yield fail(
            each.name.located(),
            f"{config.title} shares a resource that no device plugin of NVIDIA offers",
            should="nvidia.com/gpu, or nvidia.com/mig-1g.10gb and the like",
            cause=_IGNORED,
            remedy="name what the node offers: kubectl describe node NODE | grep nvidia.com",
        )


def _of_replicas(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    replicas = each.replicas
    if replicas.says_nothing:
        is_: str | None = "no replicas"
    else:
        value = need(settle(replicas))
        if isinstance(value, int) and not isinstance(value, bool) and value >= LEAST:
            if each.means == MPS and value > MOST_BY_MPS and not name.startswith(SLICE):
                yield _more_than_mps_serves(config, replicas, name)
            return
        is_ = f"{replicas.located().shown()} ({replicas.kind()})" if not isinstance(value, int) else str(value)
    yield fail(
        replicas if not replicas.is_absent else each.tree,
        f"{config.title} shares {name} among a number of pods that the device plugin refuses",
        is_=is_,
        should=f"a whole number, {LEAST} or more",
        cause=f"{ENDS}; its log says: number of replicas must be >= {LEAST}"
        if is_ is not None and is_.lstrip("-").isdecimal()
        else ENDS,
        remedy=f"write how many pods may share one, {LEAST} or more; to share nothing, leave the entry out",
    )


def _more_than_mps_serves(config: SharingConfig, replicas: Tree, name: str) -> Draft:
    return fail(
        replicas.located(),
        f"{config.title} shares {name} among more pods than MPS serves",
        should=f"{MOST_BY_MPS} or fewer",
        cause="a server of MPS takes no more clients of one GPU: the control daemon ends with `maximum allowed "
        f"replicas exceeded: {need(replicas.located())} > {MOST_BY_MPS}`, and the device plugin waits for it",
        remedy=f"write {MOST_BY_MPS} or fewer; for more pods on a GPU share it by timeSlicing",
    )


def _of_devices(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    """Devices that are listed: the parser knows them, and no release goes by them."""
    devices = each.tree.get("devices")
    if each.means != TIME_SLICING or devices.says_nothing or devices.text == "all":
        return
    yield fail(
        devices.heading,
        f"{config.title} names the GPUs that it shares, and time slicing shares all of a node",
        is_=f"devices of {name}",
        should="no devices, or all",
        cause="the device plugin says that customizing devices is not yet supported, and passes it over",
        remedy="leave devices out; to share only some nodes' GPUs, give them a configuration of their own by their "
        "label nvidia.com/device-plugin.config",
        severity=Severity.WARNING,
    )


def _of_rename(config: SharingConfig, each: SharedResource, name: str) -> Iterator[Draft]:
    """A name of its own: the parser knows it, and the plugin takes it back."""
    renamed, by_default = each.tree.get("rename"), each.said.get("renameByDefault").value is True
    if renamed.says_nothing or (by_default and renamed.text == f"{name}{SHARED}"):
        return
    stays = f"{name}{SHARED}" if by_default else name
    yield fail(
        renamed.located(),
        f"{config.title} renames {name}, and the device plugin ignores that",
        should=f"no rename; renameByDefault: true gives {name}{SHARED}",
        cause="it says that setting 'rename' is not yet supported, and passes it over: pods find the shared resource "
        f"as {stays}",
        remedy=f"leave rename out, and let pods ask for {stays}; for {name}{SHARED} write renameByDefault: true beside "
        f"{each.means}.resources",
        severity=Severity.WARNING,
    )


def _of_both(config: SharingConfig) -> Iterator[Draft]:
    sliced, by_mps = config.of(TIME_SLICING), config.of(MPS)
    if by_mps is None:
        return
    if sliced is not None:
        yield fail(
            sliced,
            f"{config.title} shares by time slicing and by MPS, and time slicing is passed over",
            is_="timeSlicing and mps",
            should="one of them",
            cause="where mps is there the device plugin goes by it alone",
            remedy="leave one of them out",
            related=[Related(by_mps.place, "this is what counts")],
        )
    if config.mig_strategy.text == MIXED:
        cause = f"using --mig-strategy=mixed is not supported with MPS: {ENDS}"
        yield fail(
            config.mig_strategy.located(),
            f"{config.title} shares by MPS beside the MIG strategy mixed",
            should=f"{SINGLE} or {NONE}",
            cause=cause,
            remedy="share by timeSlicing, or choose another MIG strategy",
        )
