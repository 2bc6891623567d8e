"""By what collectives went, from lines as NCCL and the plugin of EFA print them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nodeworthy import programs

sys.path.insert(0, str(Path(programs.__file__).parent))
import nccl_log

WITHIN = "gpu-1:82:2548 [0] NCCL INFO Channel 03/0 : 3[3] -> 2[2] via P2P/CUMEM/read"
SAID = {
    "gpu-1:71:96 [7] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/Libfabric/0/GDRDMA": "NET/Libfabric/GDRDMA",
    "ip-10-0-1-7:35481:35549 [1] NCCL INFO Ring 00 : 7 -> 8 [receive] via NET/AWS Libfabric/0": "NET/AWS Libfabric",
    "gpu-1:71:96 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [receive] via NET/Socket/0": "NET/Socket",
    "gpu-1:71:96 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [receive] via NET/IB/3(7)/GDRDMA": "NET/IB/GDRDMA",
    "gpu-1:71:96 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct": "SHM/direct/direct",
    "gpu-1:71:96 [0] NCCL INFO Using network Libfabric": "",
}


@pytest.mark.parametrize("text", SAID)
def test_what_goes_between_nodes_is_what_counts(text: str) -> None:
    assert nccl_log.transport_in(text) == SAID[text]
    between = SAID[text] if SAID[text].startswith("NET") else ""
    assert nccl_log.transport_in(f"{WITHIN}\n{text}\n{text}\n").split(", ")[0] == (between or "P2P/CUMEM/read")


def test_only_its_own_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE"):
        monkeypatch.setenv(name, "")
    nccl_log.begin(str(tmp_path))
    import os

    own = os.environ["NCCL_DEBUG_FILE"].replace("%p", str(os.getpid()))
    Path(own).write_text(next(iter(SAID)), encoding="utf-8")
    (tmp_path / "nodeworthy-nccl-1.log").write_text(list(SAID)[2], encoding="utf-8")
    assert nccl_log.transport(str(tmp_path)) == "NET/Libfabric/GDRDMA"
