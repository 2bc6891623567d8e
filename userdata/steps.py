"""The steps that several families of images share, in the order in which a node wants them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.fleet.model import Driver
from nodeworthy.known.gpus import gpu_named
from nodeworthy.rules import registry_resolvable
from userdata.plan import CannotWrite, Gpus, NodePlan
from userdata.script import Step

# What NVIDIA's open kernel modules drive.
OPEN_MODULES = ("Turing", "Ampere", "Ada Lovelace", "Hopper", "Blackwell")


def allow_profiling() -> Step:
    return Step("profiling, before the driver", ("allow_profiling",), "profiling")


def gpus(plan: NodePlan, family: str, driver_version: str) -> Iterator[Step]:
    """The driver where nobody else brings it, and what runs upon it."""
    version = {"DRIVER_VERSION": driver_version}
    if plan.gpus is not None and plan.driver is Driver.USER_DATA:
        _refuse_what_needs_more(plan.pool, plan.gpus)
        yield allow_profiling()
        yield Step(f"NVIDIA driver {driver_version}", ("install_driver",), f"{family}/driver", version)
        yield Step("profiling, as the driver was loaded", ("check_profiling",), "profiling_check")
    if plan.needs_fabric_manager:
        yield _fabric_manager(plan, family, version)
    if plan.efa:
        yield Step("EFA", ("check_efa",), "efa", {"EFA_DEVICES": str(plan.efa)})


def _fabric_manager(plan: NodePlan, family: str, version: dict[str, str]) -> Step:
    title, call = "fabric manager", ("run_fabric_manager",)
    if plan.driver is Driver.AMI:
        return Step(title, call, "fabric_manager")
    return Step(title, call, f"{family}/fabric_manager", version)


def _refuse_what_needs_more(pool: str, gpus: Gpus) -> None:
    known = gpu_named(gpus.gpu)
    architecture = known.architecture if known is not None else ""
    why = ""
    if architecture not in OPEN_MODULES:
        why = "NVIDIA's open modules do not drive it"
    elif gpus.nvswitch and architecture == "Blackwell":
        why = "its NVSwitches need NVIDIA's subnet manager beside the driver"
    if why:
        raise CannotWrite(
            f"pool '{pool}': user data can't install the driver of a {gpus.gpu}, for {why}: it must be ami"
        )


def registries(plan: NodePlan) -> Iterator[Step]:
    for registry in plan.registries:
        title = f"registry {registry.host}"
        if registry.address is not None:
            yield Step(title, ("resolve", registry.name, registry.address), "hosts")
        yield Step(title, ("trust_registry", registry.host, registry.url), "registry", {"CERTS_D": plan.certs_d})
        if registry.plain_http:
            yield Step(title, ("trust_in_docker", registry.host), "docker")


def storage(plan: NodePlan) -> Iterator[Step]:
    if plan.storage is not None:
        values = {"STORAGE_SOURCE": plan.storage.source, "STORAGE_MOUNT": plan.storage.mount}
        yield Step("shared storage", ("mount_storage",), "storage", values)


def bootstrap(plan: NodePlan, family: str) -> Iterator[Step]:
    """Into the cluster by the image's bootstrap.sh."""
    # Where the image's own config does not name the folder.
    to_name = plan.containerd.written_from if plan.registries and not plan.containerd.registry_hosts else None
    if to_name:
        config = {"IMAGE_CONTAINERD_CONFIG": to_name, "CERTS_D": plan.certs_d}
        yield Step("where containerd looks for registries", ("name_certs_d",), "containerd", config)
    yield Step("the cluster", ("join",), "bootstrap", _joining(plan))
    if to_name:
        yield Step("registries, as containerd reads them", ("check_certs_d",), "containerd")
    yield Step("kubelet, after a reboot", ("enable_kubelet",), f"{family}/kubelet")


def _joining(plan: NodePlan) -> dict[str, str]:
    return {
        "CLUSTER": plan.told.cluster,
        "ENDPOINT": plan.told.endpoint,
        "CERTIFICATE_AUTHORITY": plan.told.certificate_authority,
        "DNS": registry_resolvable.dns(plan.told.service_range),
        "KUBELET_ARGUMENTS": _kubelet_arguments(plan),
    }


def _kubelet_arguments(plan: NodePlan) -> str:
    taints = ",".join(map(str, plan.taints))
    return f"--node-labels={node_labels(plan)}" + (f" --register-with-taints={taints}" if taints else "")


def node_labels(plan: NodePlan) -> str:
    return ",".join(f"{name}={value}" for name, value in plan.labels.items())
