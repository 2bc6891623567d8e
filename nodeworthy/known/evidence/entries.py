"""The entries of the tables, typed, in the order in which one is the cause of another."""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from nodeworthy.known.evidence.wordings import texts_of
from nodeworthy.known.tables import read_table
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# From below upwards: what breaks in one layer is the cause of what the layers above it say.
LAYERS = (
    "hardware",
    "driver",
    "fabric",
    "mig",
    "image",
    "network",
    "storage",
    "packages",
    "services",
    "containerd",
    "toolkit",
    "cdi",
    "kubelet",
    "operator",
    "dra",
    "plugin",
    "hami",
    "monitoring",
    "programs",
    "scheduling",
    "cloud",
    "slurm",
    "collectives",
    "cuda",
    "frameworks",
)


@dataclass(frozen=True)
class Evidence:
    """One cause, and in which words programs tell it."""

    id: str
    # As programs print it: <name> stands for a word, <number> for a number, <words> for some words of the same line.
    texts: tuple[str, ...]
    # One as it was printed, and one that is like it and means something else.
    line: str
    near: str
    says: str
    # None where no rule of ours proves it.
    rule: str | None
    cause: str
    remedy: str
    # The command that shows whether it is so.
    prove: str
    source: str
    # It says that something failed and not why: whatever else was found explains it.
    is_symptom: bool = False
    # What many causes have in common: it counts only where its line says nothing that is known better.
    is_family: bool = False
    # The table of xid.toml that says what its number means.
    table: str = ""
    # Ids of what stands in its line as well.
    beside: tuple[str, ...] = ()
    # Ids of what says less, or something else, of the same line: where this is said, they are not.
    hides: tuple[str, ...] = ()
    # The table that it stands in.
    layer: str = ""

    @property
    def text(self) -> str:
        return self.texts[0]

    @property
    def why(self) -> str:
        return f"{self.says}: {self.cause}"

    @property
    def mending(self) -> str:
        return f"{self.remedy}; to be sure: {self.prove}"


@cache
def all_evidence() -> tuple[Evidence, ...]:
    return tuple(_entry(row, layer) for layer in LAYERS for row in _rows(layer))


@cache
def ranks() -> dict[str, int]:
    return {each.id: index for index, each in enumerate(all_evidence())}


def _rows(layer: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(Path(__file__).with_name(f"{layer}.toml"))["evidence"]
    return rows


def _entry(row: dict[str, Any], layer: str) -> Evidence:
    return Evidence(
        rule=row.pop("rule", None),
        texts=(
            *row.pop("texts", ()),
            *texts_of(row),
        ),
        is_symptom=row.pop("symptom", False),
        is_family=row.pop("family", False),
        beside=tuple(row.pop("beside", ())),
        hides=tuple(row.pop("hides", ())),
        layer=layer,
        **row,
    )


# How the words of an entry are looked for: by their words first, then by an expression, both in small letters.

# An escaped quote (a journal's, JSON's), one written twice (YAML's, CSV's), another one, or none at all: pasted words
# lose theirs.
_QUOTE = rb"""(?:\\*["'`]["']?|\\u0022|&quot;|&#3[49];|\xe2\x80[\x98-\x9f])?"""
# Lines are wrapped between words; what joins them may be escaped. It gives nothing back: no hole and no word begins so.
_GAP = rb"[\s\\]{1,200}+"
_OF = {
    "<number>": rb"(?P<number>\d{1,9})",
    "<count>": rb"\d{1,9}",
    "<words>": rb"\S[^\n]{0,199}?",
    # Whoever says so of one of these means ours; what is said of another program's is not ours to explain.
    "<nodeservice>": rb"(?:kubelet|containerd|docker|crio|cri-docker|podman|k3s(?:-agent)?|rke2-(?:agent|server)"
    rb"|slurm(?:d|ctld|dbd|restd)|munge|dcgm-exporter|nodeadm-[a-z]{2,20}|nv(?:idia)?-[a-z0-9-]{2,40})",
    "<gpupackage>": rb"(?:python3?-|lib|kmod-|xserver-xorg-video-)?"
    rb"(?:nvidia|cuda|cudnn|nccl|nvml|nvinfer|cublas|datacenter-gpu-manager|dcgm)[a-z0-9:.+~_-]{0,80}",
    # The tags that driver images would have on systems for which NVIDIA makes none.
    "<tagofnone>": rb"[0-9][0-9a-z._-]{0,60}?-(?:scos|debian|amzn|fedora|fcos|talos|flatcar|cos|ol|opensuse|almalinux"
    rb"|ubuntu(?:2[135]\.|[12]\d\.10))[0-9.v-]{0,20}",
    "<cudalibrary>": rb"lib(?:cudart|cublas(?:lt)?|cudnn(?:_[a-z_]{2,40})?|cufftw?|curand|cusolver(?:mg)?"
    rb"|cusparse(?:lt)?|nccl|nvrtc(?:-builtins)?|nvjitlink|cupti|nvtoolsext|npp[a-z]{1,4}|nvjpeg|nvblas|cufile|cudss|cutensor"
    rb"|nvshmem_host|caffe2_nvrtc)\.so[0-9.]{0,12}",
    "<driverlibrary>": rb"lib(?:cuda|cudadebugger|nvidia-(?:ml|ptxjitcompiler|fatbinaryloader|nvvm|cfg))"
    rb"\.so[0-9.]{0,12}",
    "<medialibrary>": rb"lib(?:nvcuvid|nvoptix|glx_nvidia|egl_nvidia"
    rb"|nvidia-(?:encode|opticalflow|rtcore|glcore|eglcore|fbc|glvkspirv))\.so[0-9.]{0,12}",
}
_WORD = rb"\S{1,200}?"
# A kernel's module is nvidia-uvm for one tool and nvidia_uvm for another: of these two signs each is the other.
_HOLE = pattern(r"(<\w+>)")
_LITERAL = pattern(r"""(["'`]|\s+|[-_])""")

# What is no letter and no digit stands between two words; capitals are small letters.
_SMALL = bytes(each if chr(each).isalnum() and each < 128 else 32 for each in range(256)).lower()


class Pattern:
    """One text of an entry."""

    def __init__(self, evidence: Evidence, text: str) -> None:
        self.evidence = evidence
        self.text = text
        self.words = words_of(text)
        # So many lines may end within it.
        self.gaps = len(text.split()) - 1
        # No hole and no gap takes more than 200 bytes, and a quote takes seven.
        self.longest = 200 * (self.gaps + len(_HOLE.findall(text))) + 7 * len(text)

    @cached_property
    def expression(self) -> re.Pattern[bytes]:
        return expression_of(self.text)


def expression_of(text: str) -> re.Pattern[bytes]:
    """Finds a text of a table in small letters."""
    # `Insufficient nvidia.com/gpu` is no part of `…/gpumem`, nor of `…/gpu.shared`.
    ends = rb"(?![a-z0-9_]|[.-][a-z0-9])" if text[-1].isalnum() else b""
    return re.compile(b"".join(map(_part, _HOLE.split(text))) + ends)


def words_of(text: str) -> frozenset[bytes]:
    """The whole words that a log which has this text must have: what touches a hole is a part of a word."""
    found: set[bytes] = set()
    parts = _HOLE.split(text)
    for index, part in enumerate(parts):
        if _HOLE.fullmatch(part):
            continue
        told = spread(part.encode())
        own = told.split()
        if own and index + 1 < len(parts) and not told.endswith(b" "):
            own.pop()
        if own and index > 0 and not told.startswith(b" "):
            own.pop(0)
        found.update(own)
    return frozenset(found)


def spread(text: bytes) -> bytes:
    """The text in small letters, with blanks for all that is neither letter nor digit."""
    return text.translate(_SMALL)


def _part(text: str) -> bytes:
    if _HOLE.fullmatch(text):
        return _OF.get(text, _WORD)
    return b"".join(map(_literal, _LITERAL.split(text.lower())))


def _literal(text: str) -> bytes:
    if text.isspace():
        return _GAP
    if text in ("-", "_"):
        return b"[-_]"
    return _QUOTE if text in ('"', "'", "`") else re.escape(text.encode())
