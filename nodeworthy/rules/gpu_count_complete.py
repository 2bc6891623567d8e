"""A node has every GPU that its type has: on the bus, and in the hands of the driver.

A GPU that has fallen off the bus is gone until somebody resets the machine, and nothing but the count says so: kubelet
then advertises seven, and a job that asks for eight waits for ever. On the node three numbers are compared: the GPUs
that the PCI bus shows, those that NVIDIA's driver has taken (`/proc/driver/nvidia/gpus`), and those that the pool or
the instance type has.

In a cluster a node's capacity is what its device plugin registered: fewer than the pool or the instance type has is a
lost GPU. Allocatable below capacity is a GPU that the plugin gave up as unhealthy. Nodes whose GPUs are shared or cut
into slices (HAMi, time-slicing, MIG) count something else, and of those only their unhealthy devices are told.
"""

from __future__ import annotations

from nodeworthy.facts.cluster.node_gpu_count import NodeGpuCount
from nodeworthy.facts.node.gpus_on_node import told_of
from nodeworthy.facts.node.node import Node
from nodeworthy.facts.pod.gpu_resources import GPU
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail

RULE = Rule(
    "gpu-count-complete",
    severity=Severity.ERROR,
    title="A node has every GPU that its type has",
    remedy="drain the node, stop and start it (or replace it), and count again",
)


@RULE.check
def the_bus_and_the_driver_have_them_all(node: Node) -> Findings:
    yield from told_of(node)


@RULE.check
def the_cluster_counts_them_all(count: NodeGpuCount) -> Findings:
    node = count.node
    for resource, lost in count.unhealthy.items():
        yield fail(
            count,
            f"{lost} of {node.capacity[resource]} {resource} of {node.title} are unhealthy",
            is_=f"allocatable {node.allocatable.get(resource, 0)}",
            should=f"allocatable {node.capacity[resource]}, as capacity says",
            cause="the device plugin gave up what the driver reports an Xid of, and kubelet offers it to nobody",
            remedy=f"look at the device plugin's log and `dmesg | grep Xid` on {node.name}; drain it and reset the GPU",
            victims=count.waiting,
        )
    if count.expected is not None and count.lost:
        yield fail(
            count,
            f"{node.title} counts fewer GPUs than its type has",
            is_=f"{node.capacity.get(GPU, 0)} GPUs",
            should=f"{count.expected.count} GPUs",
            related=[count.expected.says],
            cause="the driver did not take a GPU (it is off the bus, or failed to start), so its plugin knows fewer",
        )
