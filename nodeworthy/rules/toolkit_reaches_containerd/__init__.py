"""The NVIDIA runtime must be in the containerd that kubelet uses, once the toolkit has been there.

Whoever brings the toolkit (the AMI, a boot script, the operator's DaemonSet) has to write the runtime `nvidia` into
containerd's configuration and restart containerd. Where that did not happen, every pod of the RuntimeClass `nvidia`
stays in `ContainerCreating` with `no runtime for "nvidia" is configured`. On the node the effective configuration is
read (`containerd config dump`): a section that this containerd ignores, or a drop-in that nothing imports, is not
there. Until the toolkit was due, nothing can be said. If the runtime is in a containerd that kubelet does not use,
the cause is another one, and `containerd-paths` names it. In the cluster, the events of sandboxes that could not be
made say that it is not there, as long as nothing shows that they could since, and the toolkit's own pods say why:
they crash, or wait for the driver. In files, and in what a boot script writes, a config that makes `nvidia` the
default runtime and configures no such runtime keeps the whole CRI plugin from loading; the config of an EKS node with
GPUs that lacks the runtime, where the fleet has no operator, is a warning: nodeadm writes it so where it does not know
the type. A boot script that installs
the toolkit on a node of Kubernetes and tells no containerd of it is told so, where neither an operator nor CDI brings
the runtime in its place: it is a warning, for another script may do it. So is one that tells a containerd which runs,
and neither starts it anew nor reboots; and so is one that makes the runtime the default of
/etc/containerd where k3s or RKE2 runs, whose own containerd finds the runtime, and leaves runc its default. They find
it when they start: a toolkit that comes behind that, with no start or reboot behind it, is told as well.
"""

from __future__ import annotations

from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity

RULE = Rule(
    "toolkit-reaches-containerd",
    severity=Severity.ERROR,
    incident="A",
    title="The NVIDIA runtime is in the containerd that kubelet uses",
    remedy="let the toolkit configure the containerd that kubelet uses, and restart it",
    reads_logs=True,
)
