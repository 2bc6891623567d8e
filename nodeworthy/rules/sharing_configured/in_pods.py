"""Whether pods ask for what is shared as it is shared, by its name and by their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.facts.operator.device_plugins import Advertiser, DevicePlugins
from nodeworthy.facts.operator.sharing import MPS, OF_THE_MEANS, TIME_SLICING, SharingConfig
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.resources import SHARED
from nodeworthy.rules.sharing_configured import NONE, RULE, SINGLE, SLICE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip

_REFUSES = OF_THE_MEANS[1]


@RULE.check
def slices_are_asked_for_by_their_name(pod: PodTemplate, every: Sequence[OperatorValues]) -> Findings:
    if pod.live is not None:
        skip("where it runs, or why it waits, is seen in the cluster itself")
    asked = [each for each in pod.gpu_resources if each.startswith(SLICE)]
    if not asked:
        skip("it asks for no slice of a GPU")
    said = [values.tree.get("mig", "strategy") for values in every]
    if len(said) != 1 or said[0].says_nothing:
        skip("no values of the operator say by which MIG strategy slices are named")
    strategy = need(said[0].located())
    if strategy not in (SINGLE, NONE):
        return
    asking = next(each for each in pod.containers if asked[0] in each.gpu_resources)
    what = "are all called nvidia.com/gpu" if strategy == SINGLE else "are not offered"
    yield fail(
        asking.asks_for(asked[0]).place,
        f"{pod.title} asks for {asked[0]}, and by the MIG strategy {strategy} slices {what}",
        is_=asked[0],
        should="nvidia.com/gpu, or mig.strategy: mixed",
        related=[Related(said[0].place, f"mig.strategy: {strategy}")],
        cause="no node ever has this resource: the pod stays Pending (Insufficient)",
        remedy="ask for nvidia.com/gpu, or set mig.strategy: mixed in the operator's values",
    )


@RULE.check
def pods_ask_as_it_shares(
    pod: PodTemplate, configs: Sequence[SharingConfig], plugins: DevicePlugins | None
) -> Findings:
    """Nodes may go by another configuration, or by none: what stands beside it here is no more than likely for them."""
    if pod.live is not None or len(configs) != 1:
        skip("it runs, or nodes may go by one of several configurations")
    if plugins is not None and any(map(_shares_nothing, plugins.advertisers)):
        skip("another device plugin is deployed beside it, which shares nothing")
    (config,) = configs
    for each in config.resources():
        said, name = each.said, each.name.string
        if name not in pod.gpu_resources:
            continue
        asking = next(one for one in pod.containers if name in one.gpu_resources)
        if said.get("renameByDefault").value is True:
            yield _of_another_resource(pod, asking, name, config, said.get("renameByDefault"))
        elif each.means == TIME_SLICING and said.get(_REFUSES).value is True:
            yield from _of_several(pod, asking, name, said.get(_REFUSES))
        elif each.means == MPS and not _chooses_nodes(pod):
            yield from _of_several(pod, asking, name, said)
        elif each.means == TIME_SLICING and not _chooses_nodes(pod):
            yield from _of_one_card(pod, asking, name, said)


def _shares_nothing(plugin: Advertiser) -> bool:
    """Whether it is NVIDIA's, written by hand, and is given no configuration."""
    manifest = plugin.manifest
    if manifest is None or manifest.part is not Part.DEVICE_PLUGIN:
        return False
    return not (manifest.is_of_chart or manifest.reads_configuration)


def _of_another_resource(pod: PodTemplate, asking: Container, name: str, config: SharingConfig, says: Tree) -> Draft:
    return fail(
        asking.asks_for(name).place,
        f"{pod.title} asks for {name}, and {config.title} beside it calls what it shares {name}{SHARED}",
        is_=name,
        should=f"{name}{SHARED}",
        related=[Related(says.place, "renameByDefault: true")],
        cause="on a node that goes by it nothing is called so any more: the pod stays Pending (Insufficient)",
        remedy=f"ask for {name}{SHARED}, or set renameByDefault: false",
        severity=Severity.WARNING,
    )


def _chooses_nodes(pod: PodTemplate) -> bool:
    """Whether it may go where nothing is shared: by labels, or by an affinity."""
    return not all(pod.spec.get(each).is_absent for each in ("nodeSelector", "affinity", "nodeName"))


def _of_one_card(pod: PodTemplate, asking: Container, name: str, shares: Tree) -> Iterator[Draft]:
    asked = asking.asks_for(name)
    if need(asked) > 1:
        yield fail(
            asked.place,
            f"{pod.title} asks for several shares of a GPU, by the configuration beside it, and none of them says of "
            "which card",
            is_=f"{need(asked)} of {name}",
            should="1",
            related=[Related(shares.place, "shares GPUs by time slicing, and refuses nobody who asks for several")],
            cause="all of them may be of one card, and several shares are no more time on it than one: a program that "
            "needs two GPUs finds one",
            remedy="ask for one share; for whole GPUs choose nodes that share none; and set "
            "failRequestsGreaterThanOne: true, so that nobody is misled",
            severity=Severity.WARNING,
        )


def _of_several(pod: PodTemplate, asking: Container, name: str, says: Tree) -> Iterator[Draft]:
    asked = asking.asks_for(name)
    if need(asked) > 1:
        yield fail(
            asked.place,
            f"{pod.title} asks for several shares of a GPU, which the configuration beside it refuses",
            is_=f"{need(asked)} of {name}",
            should="1",
            related=[
                Related(says.heading, "MPS gives one share at most")
                if says.is_mapping
                else Related(says.place, f"{_REFUSES}: true")
            ],
            cause="kubelet does not admit the pod (UnexpectedAdmissionError): several shares are no more of a GPU than "
            "one",
            remedy="ask for one; for whole GPUs choose nodes that share none",
            severity=Severity.WARNING,
        )
