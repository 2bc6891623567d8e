"""Names of verification work, and of what keeps it from a node."""

from __future__ import annotations

import re

LABEL = "nodeworthy/verification"
# On a node: no verification may run there.
OPT_OUTS = {"nodeworthy/verify": "disabled", "coreweave.com/hpc-verify": "disabled"}
# What is verification by its name, whoever runs it.
NAMES = re.compile(
    r"(?:^|[-_/.])(hpc-verification|(?:gpu|node|cluster)-verification|nhc|node-health-check|dcgm-diag|dcgmi-diag)"
    r"(?=$|[-_/.:])"
)
# What verifies where it comes again and again, and is somebody's measurement where it does not.
REPEATED = re.compile(r"(?:^|[-_/.])(nccl-tests?|gpu-burn|gpu_burn|gpu-fryer|hpl|rccl-tests?)(?=$|[-_/.:])")
COMMANDS = re.compile(r"(?:^|[\s;&|(/'\"])(dcgmi\s+diag|nhc(?=$|\s))")
REPEATED_COMMANDS = re.compile(
    r"(?:^|[\s;&|(/'\"])(all_reduce_perf|all_gather_perf|alltoall_perf|gpu_burn|gpu-burn)(?=$|[\s;&|)'\"])"
)
LOOP = re.compile(r"\bwhile\s+(?:true|:|\[\s*1\s*\]|sleep\b)|\bfor\s*\(\(\s*;\s*;|--(?:interval|period|loop)\b")
