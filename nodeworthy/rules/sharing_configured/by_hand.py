"""Whether a device plugin that somebody deploys by a manifest is given the configuration that lies beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.sharing import MEANS, MPS, OF_THE_MEANS, SharingConfig
from nodeworthy.facts.operator.told_of_parts import options_given
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


@RULE.check
def its_file_is_in_its_map(plugin: DaemonSetManifest, configs: Sequence[SharingConfig]) -> Findings:
    held = [each for each in configs if each.map]
    if plugin.part is not Part.DEVICE_PLUGIN or plugin.is_of_chart or not held:
        skip("it is no device plugin of NVIDIA's by a manifest, or no ConfigMap that shares GPUs is here")
    volumes = {each.get("name").text: each.get("configMap") for each in plugin.pods.get("volumes").sequence}
    for container in plugin.pods.get("containers").sequence:
        told = _file_of(container)
        if told is None:
            continue
        for mount in container.get("volumeMounts").sequence:
            source = volumes.get(mount.get("name").text)
            made = [each for each in held if each.map == source.get("name").text] if source is not None else []
            if source is not None and made:
                yield from _in_its_map(told, mount, source, made)


def _in_its_map(told: Tree, mount: Tree, source: Tree, made: Sequence[SharingConfig]) -> Iterator[Draft]:
    """A ConfigMap becomes a folder with a file for each of its keys, or for those that `items` takes of it."""
    keys = {key for each in made for key in each.keys}
    items = source.get("items").sequence
    files = {each.get("path").text: each.get("key").text for each in items} or {each: each for each in keys}
    folder, wanted = mount.get("mountPath").string.rstrip("/"), told.string
    is_one_file = not mount.get("subPath").is_absent
    key = mount.get("subPath").text if is_one_file else wanted.removeprefix(f"{folder}/")
    if wanted != folder if is_one_file else not wanted.startswith(f"{folder}/"):
        return
    if None in files or key is None or files.get(key) in keys:
        return
    taken = files.get(key)
    there = sorted(str(each) for each in files if files[each] in keys) if taken is None else sorted(keys)
    yield fail(
        told,
        f"the device plugin is told of a file that the ConfigMap '{made[0].map}' does not hold",
        is_=wanted if taken is None else f"{wanted}, made of its entry {taken}",
        should=" or ".join(f"{folder}/{each}" if taken is None and not is_one_file else each for each in there),
        related=[Related(made[0].place, f"it holds {' and '.join(sorted(keys))}")],
        cause="its pod waits for the volume (references non-existent config key), or the plugin ends at its start "
        "(unable to load config: no such file): the node offers no GPU",
        remedy=f"name the file as the ConfigMap does, or call the entry {key if taken is None else taken}",
    )


def _file_of(container: Tree) -> Tree | None:
    """The path of its configuration, as a variable or as an option."""
    variable, option = _FILE
    by_name = ((each.get("name").text, each.get("value")) for each in container.get("env").sequence)
    every = (*by_name, *options_given(container))
    said = next((tree for name, tree in reversed(every) if name in (variable, option)), None)
    return said if said is not None and said.text and "$" not in said.string else None


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
