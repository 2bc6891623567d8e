"""What shows that a pod is meant for profiling by the GPU's counters.

Nsight Compute (`ncu`) reads them for every kernel, and DCGM's profiling tester makes them be read. Nsight Systems
traces calls by itself, for which nobody needs a right, and reads the counters only where it samples GPU metrics.
"""

from __future__ import annotations

from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known

DEDICATED = "gpu.monitoring/profiling-dedicated"
_MARKS = ("gpu.monitoring/profiling", DEDICATED, "nodeworthy/profiling")
_NO = ("false", "disabled", "no", "off", "0", "")
_COUNTERS = pattern(r"(?:^|[\s;&|(/'\"`=])(ncu|nv-nsight-cu-cli|dcgmproftester\d*)(?=$|[\s;&|)'\"`])")
_SYSTEMS = pattern(r"(?:^|[\s;&|(/'\"`=])nsys(?=\s|$)")
_METRICS = pattern(r"--gpu-metrics-(?:device|devices|set|frequency)\b(?![= ]none)")
_IMAGES = pattern(r"(?:^|/)(?:nsight-compute|dcgmproftester)[^/]*$")
# Words that only ask whether a program is there, or bring it.
_NO_RUN = pattern(r"(?:which|command -v|--version|install)\b[^\n;&|]*$")


def why_container_profiles(container: Container) -> str | None:
    """What the container runs that reads counters."""
    said = " ".join(container.words)
    found = next((each for each in _COUNTERS.finditer(said) if not _NO_RUN.search(said[: each.start(1)])), None)
    if found is not None:
        return f"it runs {found[1]}"
    if _SYSTEMS.search(said) and _METRICS.search(said):
        return "it runs nsys with GPU metrics"
    image = container.image.state
    if isinstance(image, Known) and isinstance(image.value, str) and _IMAGES.search(image.value):
        return f"its image is {image.value}"
    return None


def why_pod_profiles(pod: PodTemplate) -> str | None:
    """What the pod says of itself as a whole."""
    for name in _MARKS:
        for said in (pod.labels.get(name), pod.annotations.get(name)):
            if said is not None and str(said.value).lower() not in _NO and not said.is_unknown:
                return f"it is marked {name}"
    if any(value.lower() not in _NO for value in pod.selection.wanted(DEDICATED)):
        return f"it chooses nodes by {DEDICATED}"
    return None
