"""A node has every GPU that its type has: on the bus, and in the hands of the driver.

A GPU that has fallen off the bus is gone until somebody resets the machine, and nothing but the count says so: kubelet
then advertises seven, and a job that asks for eight waits for ever. On the node three numbers are compared: the GPUs
that the PCI bus shows, those that NVIDIA's driver has taken (`/proc/driver/nvidia/gpus`), and those that the pool or
the instance type has.
"""

from __future__ import annotations

from nodeworthy.facts.gpus_on_node import told_of
from nodeworthy.facts.node import Node
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity

RULE = Rule(
    "gpu-count-complete",
    severity=Severity.ERROR,
    title="A node has every GPU that its type has",
    remedy="drain the node, stop and start it (or replace it), and count again",
)


@RULE.check
def the_bus_and_the_driver_have_them_all(node: Node) -> Findings:
    yield from told_of(node)
