"""What the log of a pod with GPUs says that is its node's doing, and not its program's."""

from __future__ import annotations

from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import EvidenceMatch, in_text

# The links that are there before any program runs.
_OF_THE_NODE = frozenset(("bound", "module", "userland", "healthy", "fabric", "toolkit", "cdi", "runtime"))
# What package managers and downloads say tells of the driver where its own pod says it; any other program's tell of its
# image, of its start script, or of what it fetches there.
_OF_WHOEVER_INSTALLS = frozenset(
    (
        "ansible-variable-undefined",
        "archive-from-the-future",
        "archive-out-of-date",
        "build-tool-missing",
        "compiler-killed",
        "download-refused",
        "dpkg-interrupted",
        "driver-daemon-key",
        "driver-packages-held",
        "driver-repositories-unreachable",
        "image-script-fails",
        "installer-file-broken",
        "installer-temp-folder",
        "kernel-packages-missing",
        "module-build-tools-missing",
        "package-gone-from-mirror",
        "package-lock-held",
        "package-mirror-unreachable",
        "package-versions-unfit",
        "repository-signed-twice",
    )
)
# By these a program says that it finds no GPU, or no driver that it can use, in its container.
SEES_NONE = frozenset(
    (
        "cgroup-devices-lost",
        "cuda-driver-insufficient",
        "cuda-driver-too-old",
        "fabric-manager-missing",
        "ggml-sees-no-gpu",
        "image-without-driver",
        "libcuda-missing",
        "no-cuda-device",
        "torch-sees-no-gpu",
        "vllm-no-platform",
    )
)
# By this a program says that it gets no more of a GPU's memory.
NO_MEMORY = "cuda-out-of-memory"
# Of these the ones that say no more than that: why, its pod tells better, which does ask for GPUs.
ONLY_NONE = frozenset(
    ("image-without-driver", "libcuda-missing", "no-cuda-device", "torch-sees-no-gpu", "vllm-no-platform")
)
# A program says no more than that as well; of a part of the stack it tells more.
NO_LIBRARY = "nvml-library-not-found"


def words_of_the_node(log: str, *, shares: bool = False) -> str:
    """Returns the line by which a program that crashed tells what its node or its container lacks. Where it shares a
    GPU in turn with others, that is memory, too."""
    known = in_text(log)
    found = sorted(filter(_is_of_the_node, known), key=lambda each: each.evidence.is_symptom)
    if not found and shares:
        found = [each for each in known if each.evidence.id == NO_MEMORY]
    return _line(found[0]) if found else ""


def words_of_no_gpu(log: str) -> str:
    """Returns the line by which a program that runs on says that it goes without the GPUs that it was given."""
    return next((_line(each) for each in in_text(log) if each.evidence.id in SEES_NONE), "")


def words_of_no_library(log: str) -> str:
    """The same of a program that nobody gave any by name: that it finds no library of the driver says as much."""
    return next((_line(each) for each in in_text(log) if each.evidence.id in (*SEES_NONE, NO_LIBRARY)), "")


def _is_of_the_node(found: EvidenceMatch) -> bool:
    evidence = found.evidence
    if evidence.id in _OF_WHOEVER_INSTALLS:
        return False
    link = link_of_evidence(evidence.id, evidence.layer)
    return evidence.id in SEES_NONE or (not evidence.is_symptom and link in _OF_THE_NODE)


def _line(found: EvidenceMatch) -> str:
    return " ".join(found.words.split())
