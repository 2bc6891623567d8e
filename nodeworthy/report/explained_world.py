"""What is known of the world, told: distributions, GPUs, instance types, releases of the operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.known.containerd import Containerd, containerd_of, takes_base_dir
from nodeworthy.known.gpus import Gpu
from nodeworthy.known.instances import InstanceGpus, instance_types_source, types_with
from nodeworthy.known.releases import OperatorRelease
from nodeworthy.report.explained import Explanation


def of_distribution(name: str) -> list[Explanation]:
    """One, or each of the variants whose paths differ."""
    plain = _of_runtime(name, "", containerd_of(name))
    if not takes_base_dir(name):
        return [plain]
    return [
        _of_runtime(name, "classic confinement, the default", containerd_of(name)),
        _of_runtime(name, "containerdBaseDir: BASE_DIR", containerd_of(name, "BASE_DIR")),
        _of_runtime(name, "snapConfinement: strict", containerd_of(name, strict=True)),
    ]


def _of_runtime(name: str, variant: str, runtime: Containerd) -> Explanation:
    data: dict[str, Any] = {
        "variant": variant,
        "runtime": runtime.runtime,
        "config": runtime.config,
        "socket": runtime.socket,
        "older_sockets": list(runtime.older_sockets),
        "units": list(runtime.units),
        "toolkit": runtime.toolkit,
        "toolkit_env": dict(runtime.toolkit_env),
        "doubtful": list(runtime.doubtful),
        "templates": list(runtime.templates),
        "note": runtime.note,
        "source": runtime.source,
    }
    title = f"{_runtime_in_words(runtime)} that kubelet uses{f' ({variant})' if variant else ''}"
    return Explanation("distribution", name, title, tuple(_runtime_rows(runtime)), "", tuple(data.items()))


def _runtime_in_words(runtime: Containerd) -> str:
    return "the containerd" if runtime.is_containerd else f"the {runtime.runtime}"


def _runtime_rows(runtime: Containerd) -> Iterator[tuple[str, str]]:
    if runtime.config:
        yield "config", runtime.config
    if runtime.socket:
        yield "socket", runtime.socket
    for older in runtime.older_sockets:
        yield "older socket", older
    yield "units", ", ".join(runtime.units)
    for name, value in runtime.toolkit_env.items():
        yield "toolkit.env", f"{name}={value}"
    for template in runtime.templates:
        yield "template", f"{template} (for people to edit, never for the toolkit)"
    if not runtime.toolkit:
        yield "toolkit", "must be off (toolkit.enabled: false)"
    if runtime.note:
        yield "note", runtime.note
    yield "source", runtime.source


def of_gpu(gpu: Gpu) -> Explanation:
    types = types_with(gpu.name)
    rows = [("memory", f"{' or '.join(str(each) for each in gpu.memory)} GB")]
    if gpu.nvswitch:
        rows.append(("NVSwitch", "boards of eight talk through NVSwitches: nvidia-fabricmanager must run"))
    rows += [("on EC2", ", ".join(types) or "in no instance type we know"), ("source", gpu.source)]
    data: dict[str, Any] = {
        "memory": list(gpu.memory),
        "architecture": gpu.architecture,
        "nvswitch": gpu.nvswitch,
        "instance_types": list(types),
        "source": gpu.source,
    }
    return Explanation(
        "gpu", gpu.name, f"a GPU of NVIDIA's {gpu.architecture} line", tuple(rows), "", tuple(data.items())
    )


def of_instance_type(name: str, gpus: InstanceGpus | None) -> Explanation:
    source = instance_types_source()
    if gpus is None:
        rows = (("GPUs", "we know of none in it"), ("exists in", source))
        return Explanation(
            "instance-type", name, "an EC2 instance type", rows, "", (("gpu", None), ("exists_in", source))
        )
    told = [
        ("GPUs", f"{gpus.count} × {gpus.gpu}, {gpus.memory} GB each"),
        ("EFA", "not known" if gpus.efa is None else f"{gpus.efa} interface{'' if gpus.efa == 1 else 's'}"),
        ("NVSwitch", "yes: nvidia-fabricmanager must run" if gpus.nvswitch else "no"),
        ("source", gpus.source),
        ("exists in", source),
    ]
    data: dict[str, Any] = {
        "gpu": gpus.gpu,
        "count": gpus.count,
        "memory": gpus.memory,
        "efa": gpus.efa,
        "nvswitch": gpus.nvswitch,
        "source": gpus.source,
        "exists_in": source,
    }
    return Explanation("instance-type", name, "an EC2 instance type with GPUs", tuple(told), "", tuple(data.items()))


def of_release(asked: str, release: OperatorRelease) -> Explanation:
    rows = (
        ("toolkit", release.toolkit),
        ("CDI", "on, unless one says otherwise" if release.cdi else "off, unless one says otherwise"),
        ("behaviour", release.behaviour),
        ("source", release.source),
    )
    data: dict[str, Any] = {
        "toolkit": release.toolkit,
        "cdi": release.cdi,
        "behaviour": release.behaviour,
        "source": release.source,
    }
    return Explanation(
        "operator-release", release.version, f"a GPU operator release ({asked})", rows, "", tuple(data.items())
    )
