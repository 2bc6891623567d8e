"""The platform, layer by layer. Everything follows from the stack's fleet."""

import cluster
import declared
import gpu_operator
import network
import pools
import pulumi
import registry
import storage

fleet = declared.fleet()

net = network.build(fleet)
eks = cluster.build(fleet, net)
files = storage.build(fleet, net, eks)
disks = storage.disks(eks)
registry.build(fleet, eks, disks)
groups = pools.build(fleet, net, eks, files)
operator = gpu_operator.build(fleet, eks, after=groups)

pulumi.export("cluster", eks.control_plane.name)
pulumi.export("pools", [group.name for group in groups])
