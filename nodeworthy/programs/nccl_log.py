"""The transport between NCCL's ranks, which only NCCL's own log tells."""

from __future__ import annotations

import glob
import os
import re

# `Channel 00/0 : 7[7] -> 8[0] [receive] via NET/Libfabric/0/GDRDMA`; older ones say NET/AWS Libfabric/0.
_VIA = re.compile(r"-> \d+\S* .*?\bvia ((?:NET|P2P|SHM|COLLNET)\b[^\n]*)")
_NUMBER = re.compile(r"/\d+(?:\(\d+\))?(?=/|\s|$)")


def begin(folder: str) -> None:
    """Sets NCCL's log up before the first collective: each process logs into a file of its own, and not among what it
    measures."""
    os.environ.update(NCCL_DEBUG="INFO", NCCL_DEBUG_SUBSYS="INIT,NET", NCCL_DEBUG_FILE=_file(folder, "%p"))


def transport(folder: str) -> str:
    """The transport of this process: the one between nodes where there is one, else the one within a node; empty where
    the log says nothing."""
    text = ""
    for each in glob.glob(_file(folder, str(os.getpid()))):
        with open(each, encoding="utf-8", errors="replace") as file:
            text += file.read()
    return transport_in(text)


def transport_in(text: str) -> str:
    found = sorted({_NUMBER.sub("", each).strip() for each in _VIA.findall(text)})
    between = [each for each in found if each.startswith(("NET", "COLLNET"))]
    return ", ".join(between or found)


def _file(folder: str, process: str) -> str:
    return os.path.join(folder, f"nodeworthy-nccl-{process}.log")
