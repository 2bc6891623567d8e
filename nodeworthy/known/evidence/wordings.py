"""Texts that a table does not write out: what of an entry fails, in the words that every program has for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

# How an operation failed, as the C library, Go, Python and shells word it. Whatever program says so of a file or an
# address that is known, its cause is known, too: an entry names what it is `of`, and how it `fails`.
_FAILURES = {
    "missing": (
        "no such file or directory",
        "no such device",
        "does not exist",
        "not found",
        # Of German, French, Spanish and Chinese machines.
        "Datei oder Verzeichnis nicht gefunden",
        "Aucun fichier ou dossier de ce type",
        "No existe el archivo o el directorio",
        "没有那个文件或目录",
    ),
    "busy": ("device or resource busy", "resource busy"),
    "refused": ("permission denied", "operation not permitted", "Keine Berechtigung", "权限不够"),
    "broken": ("exec format error", "file too short", "invalid ELF header", "cannot execute binary file"),
    "unreachable": ("connect: connection refused", "connect: no route to host", "i/o timeout", "connection timed out"),
    "unanswered": ("connect: connection refused", "connect: no such file or directory"),
    "locked": ("read-only file system",),
}

# What has a wording of its own: a program that a shell or another one does not find, and a library that no linker does.
_WORDINGS = {
    "absent": (
        'exec: "{}": executable file not found',
        "executable file `{}` not found",
        "{}: command not found",
        "sh: <count>: {}: not found",
        "sh: {}: not found",
        "command '{}' not found",
        "No such file or directory: '{}'",
        "which: no {} in",
        "env: '{}': No such file or directory",
        "{}: 未找到命令",
        "{}: Kommando nicht gefunden",
        "{} : commande introuvable",
        "{}: orden no encontrada",
    ),
    "unloadable": (
        "{}: cannot open shared object file",
        "{}: open shared object file",
        "Cannot load {}",
        "Could not load {}",
        "Could not load library {}",
        "Could not load dynamic library '{}'",
        "Unable to load {}",
        "Unable to load library '{}'",
        "Failed to load {}",
        "Failed to load library {}",
        "Failed to open {}",
        "Failed to dlopen {}",
        "dlopen failed: {}",
        "Could not find {}",
        "library {} not found",
        "{} => not found",
        "Couldn't open CUDA library {}",
        "Couldn't load {}",
        "Couldn't find {}",
        "Unable to open {}",
        "Unable to find {}",
        "Cannot open {}",
        "Error loading {}",
    ),
}


# What NVML answers is one of its few sentences; in front of it stands what the program that asked says of it, such as
# "Failed to initialize NVML: ".
_NVML_ANSWERED = (
    "NVML: ",
    "nvml init failed: ",
    "nvml error: ",
    "nvml Init err: ",
    "NVML library; err: ",
    "nvmlInit<words>: ",
    "NVMLError_<name>: ",
)

# CUDA's answers have numbers, the same ones for the driver and, since CUDA 10.1, for the runtime. Programs that don't
# ask for the name print the number alone.
_CUDA_ANSWERED = (
    "cuInit failed: ",
    "cuInit failed:",
    "cuInit failed with ",
    "cuInit failed with error ",
    "cuInit() failed: ",
    "cuInit(0) failed: ",
    "cuInit(0) failed with error ",
    "cuInit returned ",
    "cuInit(0) returned ",
    "cuInit error: ",
    "cuInit: CUresult(",
    "cudaGetDeviceCount returned ",
    "cudaGetDeviceCount() returned ",
    "cudaGetDeviceCount failed: ",
    "cudaGetDeviceCount(). Error ",
    "cuda runtime error (",
    "Cuda failure ",
    "CUDA error ",
    "CUDA error: ",
    "CUDA error code ",
    "CUDA error code: ",
    "CUDA error code=",
    "CUDA call failed with error ",
    "cuInit call failed with error ",
)


def texts_of(row: dict[str, Any]) -> Iterator[str]:
    """All that an entry says by a key in place of a text; the keys are taken out of it."""
    yield from _failing(row.pop("of", ()), row.pop("fails", ""))
    for how, wordings in _WORDINGS.items():
        yield from (words.format(thing) for thing, words in product(row.pop(how, ()), wordings))
    yield from (words + answer for answer, words in product(row.pop("nvml", ()), _NVML_ANSWERED))
    yield from (f"{words}{number}" for number, words in product(row.pop("cuda", ()), _CUDA_ANSWERED))


def _failing(things: Sequence[str], how: str) -> Iterator[str]:
    """Mostly it is named first; by Python last, in quotes."""
    for thing, words in product(things, _FAILURES.get(how, ())):
        yield f'{thing}": {words}'
        if not words.startswith("connect"):
            yield f"{words}: '{thing}"
        if words == "does not exist":
            yield f"{thing} {words}"
