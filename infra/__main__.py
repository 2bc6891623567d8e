"""The platform, layer by layer. Everything follows from the stack's fleet."""

import addons
import cluster
import declared
import efa_plugin
import gpu_operator
import hami
import job_queue
import monitoring
import network
import people
import pools
import pulumi
import registry
import rollout
import security
import storage

fleet = declared.fleet()
pools.say_what_is_not_built(fleet)

if pools.built(fleet):
    net = network.build(fleet)
    eks = cluster.build(fleet, net, security.build(fleet, net))
    people.build(fleet, eks)
    files = storage.build(fleet, net, eks)
    ready = addons.on_every_node(fleet, eks)
    groups = pools.build(fleet, net, eks, files, after=ready)
    running = addons.on_some_node(fleet, eks, nodes=list(groups.values()))
    rollout.build(fleet, eks, groups, after=running)
    disks = storage.disks(eks, after=running)
    registry.build(fleet, eks, disks)
    job_queue.build(fleet, eks, disks)
    measured = monitoring.build(fleet, eks, disks)
    operator = gpu_operator.build(fleet, eks.kubernetes, after=[*running, *measured])
    hami.build(fleet, eks.kubernetes, after=[operator] if operator is not None else running)
    efa_plugin.build(fleet, eks.kubernetes, after=running)

    pulumi.export("cluster", eks.control_plane.name)
    pulumi.export("pools", [group.name for group in groups.values()])
else:
    # The cluster is there, and its nodes are: the operator comes to it by the kubeconfig of whoever runs this.
    operator = gpu_operator.build(fleet, None, after=[])
    hami.build(fleet, None, after=[operator] if operator is not None else [])
