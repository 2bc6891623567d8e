"""What makes a tree the GPU operator's settings: its content, not the name of its file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from nodeworthy.documents.release import Chart, Release
from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.operator_parts import keys_read
from nodeworthy.known.releases import required_of_a_cluster_policy
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

CHART = "gpu-operator"
ORIGIN = "ClusterPolicy"
# Keys that no other chart is likely to have, and those that mean something only beside them.
_DISTINCTIVE = frozenset(
    "ccManager dcgmExporter devicePlugin driver gdrcopy gfd kataManager migManager nodeStatusExporter operator "
    "sandboxDevicePlugin sandboxWorkloads toolkit vfioManager vgpuDeviceManager vgpuManager".split()
)
_TELLING = _DISTINCTIVE - {"driver", "operator", "toolkit"}
_TOOLKIT = frozenset(
    "enabled env image imagePullPolicy imagePullSecrets installDir repository resources version".split()
)
# Charts of other programs around GPUs, which share names with the operator's (`devicePlugin`, `gfd`) and never hold it.
_OTHER_CHARTS = frozenset(
    "dcgm-exporter gpu-feature-discovery gpu-operator-charts hami node-feature-discovery nvidia-device-plugin "
    "nvidia-dra-driver-gpu".split()
)
# Of the device plugin's own chart, which has these two parts; and what stands beside them there, and nowhere else.
_PLUGINS_PARTS = {"devicePlugin", "gfd"}
_PLUGINS_OWN = frozenset(
    "affinity config deviceIDStrategy deviceListStrategy failOnInitError image migStrategy mps nodeSelector "
    "nvidiaDriverRoot runtimeClassName tolerations".split()
)
# AMD's operator has parts of the same names: what stands beside them there, and in them.
_AMDS_OWN = frozenset("commonConfig configManager metricsExporter remediationWorkflow testRunner".split())
_AMDS_PARTS = {
    "driver": frozenset("amdgpuInstallerRepoURL blacklist imageSign useSourceImage".split()),
    "devicePlugin": frozenset("devicePluginImage devicePluginTolerations enableNodeLabeller nodeLabellerImage".split()),
}
# A part of this name that only says how it is scraped: of a chart that makes ServiceMonitors.
_OF_A_MONITOR = frozenset("endpoints jobLabel namespaceSelector serviceSelectorLabels".split())
# For no other chart's parts of these names a ConfigMap is made.
_MADE_FOR, _MAKES = ("devicePlugin", "migManager"), "create"
_RELEASE = pattern(r"v?\d+\.\d+\.\d+([-+].*)?")
_EXACT_VERSION = pattern(r"v?\d+(\.\d+){0,2}([-+].*)?")
# What a role takes where nobody sets its variable.
_BY_DEFAULT = pattern(
    r"\{\{-?\s{0,8}[\w.]{1,80}\s{0,8}\|\s{0,8}default\(\s{0,8}['\"]([\w.+-]{1,40})['\"][\w\s,=]{0,40}\)\s{0,8}-?\}\}"
)
# The chart says its own name and version on what it makes.
_MADE_BY = ("metadata", "labels", "helm.sh/chart")


def looks_like_values(tree: Tree) -> bool:
    """Values of the operator's chart: its toolkit alone is enough, or a ConfigMap that it makes, or two of its
    parts."""
    toolkit = tree.get("toolkit")
    if toolkit.is_mapping and not _TOOLKIT.isdisjoint(toolkit.mapping):
        return True
    if not _is_amds(tree) and any(_MAKES in tree.get(part, "config").mapping for part in _MADE_FOR):
        return True
    parts = {name for name in _DISTINCTIVE.intersection(tree.mapping) if tree.get(name).is_mapping}
    parts = {name for name in parts if _OF_A_MONITOR.isdisjoint(tree.get(name).mapping)}
    is_plugins = parts == _PLUGINS_PARTS and not _PLUGINS_OWN.isdisjoint(tree.mapping)
    return len(parts) >= 2 and not _TELLING.isdisjoint(parts) and not is_plugins and not _is_amds(tree)


def _is_amds(tree: Tree) -> bool:
    """A DeviceConfig of AMD's operator, as its chart's values hold one."""
    own = any(tree.get(name).is_mapping for name in _AMDS_OWN)
    return own or any(not keys.isdisjoint(tree.get(part).mapping) for part, keys in _AMDS_PARTS.items())


OPERATOR = Chart(lambda name: name == CHART, looks_like_values, lambda name, _: name == CHART, _OTHER_CHARTS)


def operator_values(release: Release) -> Iterator[OperatorValues]:
    for each in OPERATOR.within(release):
        yield OperatorValues(
            place=each.place,
            tree=each.values,
            origin=each.origin,
            release=chart_version(each.version),
            elsewhere=each.elsewhere,
            asked_release=each.version.string,
            namespace=each.namespace,
            cluster=each.cluster,
        )


def misshapen_parts(tree: Tree) -> Iterator[UnreadableInput]:
    """Parts that are no mappings: nothing in them was judged, and Helm makes nothing of them."""
    for name, part in tree.mapping.items():
        if name in _DISTINCTIVE and not (part.is_mapping or part.says_nothing or part.is_unknown):
            why = f"{name} is {part.kind()}, and must be a mapping: nothing in it was judged"
            yield UnreadableInput((part.place if part.place.line else part.heading).about(name), why)


def cluster_policies(document: Tree) -> Iterator[OperatorValues]:
    api = document.get("apiVersion").string
    if document.get("kind").text == "ClusterPolicy" and api.startswith("nvidia.com/"):
        # Its spec has the shape of the chart's values.
        release, name = _installed(document.get(*_MADE_BY)), document.get("metadata", "name").string
        yield OperatorValues(document.place, document.get("spec"), "ClusterPolicy", release, name=name)


def chart_version(version: Tree) -> Located[str | None]:
    located = version.located()
    if (value := value_if_known(located)) is not None:
        written = str(value)
        by_default = _BY_DEFAULT.fullmatch(written)
        if by_default is not None and _EXACT_VERSION.fullmatch(by_default[1]):
            return Located(Known(by_default[1]), located.place)
        if not _EXACT_VERSION.fullmatch(written):
            is_template = "{{" in written or "${" in written
            why = "is filled in when it is installed" if is_template else "is a range of versions"
            return Located(Unknown(f"{written!r} {why}"), located.place)
        return Located(Known(written), located.place)
    return located


def release_of_deployment(document: Tree) -> str | None:
    """The operator's release, by the label of its chart, by OLM's bundle or by its image. None where this runs no
    operator, or says no release."""
    containers = document.get("spec", "template", "spec", "containers").sequence
    images = [each.get("image").string for each in containers]
    tags = [image.rpartition("/")[2].partition("@")[0].partition(":")[::2] for image in images]
    if not any(name == CHART for name, _ in tags):
        return None
    labels = document.get("metadata", "labels").texts
    said = [labels.get("helm.sh/chart", "").removeprefix(f"{CHART}-"), labels.get("olm.owner", "").partition(".")[2]]
    said += [labels.get("app.kubernetes.io/version", ""), *(tag for name, tag in tags if name == CHART)]
    return next((each for each in said if _RELEASE.fullmatch(each)), None)


def with_its_release(values: OperatorValues, releases: Sequence[tuple[str, Place]]) -> OperatorValues:
    """A ClusterPolicy that says no release itself, with the one of whatever runs beside it."""
    if values.release.state != Known(None) or not releases:
        return values
    release, place = releases[0]
    return replace(values, release=Located(Known(release), place))


def _installed(label: Tree) -> Located[str | None]:
    """The release that made an object, by its label: gpu-operator-v25.3.4."""
    version = label.string.removeprefix(f"{CHART}-")
    if not _EXACT_VERSION.fullmatch(version):
        return Located(Known(None), label.place, written=False)
    return Located(Known(version), label.place)


# What the chart calls the ClusterPolicy that it makes.
_OF_THE_CHART = "cluster-policy"
# Of these three the operator puts the image of a part together (api/nvidia/v1: ImagePath).
_OF_AN_IMAGE = ("repository", "image", "version")
# What stands in a part, and has an image of its own.
_WITHIN = ("manager", "driverManager")


def is_written_whole(values: OperatorValues) -> bool:
    """Whether it is an object that somebody hands to a cluster: not one that is there, nor a patch of it."""
    if values.origin != ORIGIN or values.place.object is not None or not values.tree.is_mapping:
        return False
    return values.elsewhere is None and "patch" not in posixpath.basename(values.place.file)


def left_out_fields(values: OperatorValues) -> list[str]:
    if why_incomplete(values.tree) is not None:
        return []
    release = value_if_known(values.release)
    required = required_of_a_cluster_policy(str(release) if release is not None else None)
    parts = {name: values.tree.get(name) for name in required}
    missing = [name for name, part in parts.items() if part.says_nothing]
    # Who names a few parts of it applies them to the object that the chart has made, which has the others.
    changes_a_few = values.name == _OF_THE_CHART and 2 * len(missing) > len(parts)
    return [] if changes_a_few else missing


def is_filled_in_by_nobody(values: OperatorValues) -> bool:
    """Helm's chart fills in what makes an image up, and nobody does so of an object. One that bears the chart's name or
    its label was filled in, or is laid over such a one; one that leaves more out is judged by that."""
    is_the_charts = values.name == _OF_THE_CHART or values.release.state != Known(None)
    return is_written_whole(values) and not is_the_charts and not left_out_fields(values)


def half_images(values: OperatorValues) -> Iterator[tuple[str, Tree, dict[str, str]]]:
    """The parts of a ClusterPolicy that say some of what makes an image up, and not all: by path, with all three."""
    elsewhere = "driver" if values.chooses_drivers.state == Known(True) else ""
    for name, part in values.tree.mapping.items():
        is_off = settle(part.get("enabled")).state == Known(False)
        if name == elsewhere or is_off or not keys_read(name).issuperset(_OF_AN_IMAGE):
            continue
        for path, tree in ((name, part), *((f"{name}.{each}", part.get(each)) for each in _WITHIN)):
            said = {each: _said_of_an_image(tree.get(each)) for each in _OF_AN_IMAGE}
            if (said["repository"] or said["version"]) and not all(said.values()):
                yield path, tree, said


def _said_of_an_image(tree: Tree) -> str:
    """What is filled in later is there."""
    if tree.says_nothing:
        return ""
    return tree.text if tree.text is not None else "…"
