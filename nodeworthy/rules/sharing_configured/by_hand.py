"""Whether a device plugin that somebody deploys by a manifest is given the configuration that lies beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.sharing import MEANS, MPS, OF_THE_MEANS, SharingConfig
from nodeworthy.rules.sharing_configured import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

_FILE, _ROOT = ("CONFIG_FILE", "--config-file"), ("MPS_ROOT", "--mps-root")
_KEEPS_ITS_NAME = "shares stay nvidia.com/gpu, and pods that ask for nvidia.com/gpu.shared stay Pending"


@RULE.check
def the_plugin_is_given_it(plugin: DaemonSetManifest, configs: Sequence[SharingConfig]) -> Findings:
    held = {each.map: each for each in configs if each.map}
    if plugin.part is not Part.DEVICE_PLUGIN or not held:
        skip("it is no device plugin of NVIDIA's, or no ConfigMap that shares GPUs is here")
    for container in plugin.pods.get("containers").sequence:
        yield from _by_environment(plugin, container, held)
        yield from _without_daemon(plugin, container, held)


def _by_environment(plugin: DaemonSetManifest, container: Tree, held: dict[str, SharingConfig]) -> Iterator[Draft]:
    if _is_told(container, _FILE):
        return
    for source in container.get("envFrom").sequence:
        name = source.get("configMapRef", "name")
        config = held.get(name.string)
        if config is not None:
            yield fail(
                name.located(),
                "the device plugin is given its configuration as environment variables, and reads a file",
                is_=f"envFrom: {name.text}",
                should="CONFIG_FILE (or --config-file) with the path of a file that is mounted of it",
                related=[Related(config.place, f"{plugin.title} never reads this")],
                cause="without CONFIG_FILE it goes by its defaults and says nothing: each GPU goes to one pod alone",
                remedy=f"mount the ConfigMap '{name.text}' as a volume (/config) and set CONFIG_FILE to "
                f"/config/{config.key}; or install the plugin's chart with config.name",
            )


def _without_daemon(plugin: DaemonSetManifest, container: Tree, held: dict[str, SharingConfig]) -> Iterator[Draft]:
    """MPS needs a control daemon beside the plugin, which is told where that keeps its files."""
    maps = {each.get("configMap", "name").string for each in plugin.pods.get("volumes").sequence}
    config = next((each for name, each in held.items() if name in maps and each.of(MPS) is not None), None)
    unsure = container.get("envFrom").sequence or container.get("env").is_unknown
    if config is None or unsure or not _is_told(container, _FILE) or _is_told(container, _ROOT):
        return
    yield fail(
        container.place,
        "the device plugin shares GPUs by MPS, and is not told where MPS keeps its files",
        is_="no MPS_ROOT (--mps-root)",
        should="MPS_ROOT, and the MPS control daemon's DaemonSet beside it",
        related=[Related(config.place, "this shares by mps")],
        cause="it ends at its start (using MPS requires --mps-root to be specified): the node offers no GPU",
        remedy="install the plugin by its Helm chart, which brings MPS's control daemon and its paths; or set "
        "MPS_ROOT=/run/nvidia/mps, mount it, and deploy the daemon",
    )


def _is_told(container: Tree, names: tuple[str, str]) -> bool:
    variable, option = names
    words = (each.string for part in ("command", "args") for each in container.get(part).sequence)
    named = any(each.get("name").text == variable for each in container.get("env").sequence)
    return named or any(word.split("=")[0] == option for word in words)


@RULE.check
def what_it_says_stands_where_it_is_read(config: SharingConfig) -> Findings:
    """A key of `timeSlicing` elsewhere is passed over: the resource keeps its name, and pods ask for another."""
    means = next((each for each in reversed(MEANS) if config.of(each) is not None), None)
    # By MPS a pod gets one share at most, whatever is written.
    keys = OF_THE_MEANS if means != MPS else OF_THE_MEANS[:1]
    for above in ((), ("flags",), ("sharing",)) if means is not None else ():
        for key in keys:
            tree = config.tree.get(*above, key)
            if tree.value is True:
                yield _not_read_there(config, ".".join((*above, key)), f"sharing.{means}", tree)


def _not_read_there(config: SharingConfig, path: str, below: str, tree: Tree) -> Draft:
    key = path.rpartition(".")[2]
    renames = key == OF_THE_MEANS[0]
    follows = _KEEPS_ITS_NAME if renames else "a pod may ask for several shares, which need not be of several GPUs"
    return fail(
        tree.heading,
        f"{config.title} says {key} where the device plugin does not read it",
        is_=path,
        should=f"{below}.{key}",
        cause=f"it is passed over without a word: {follows}",
        remedy=f"move it below {below}, beside resources",
        severity=Severity.ERROR if renames else Severity.WARNING,
    )
