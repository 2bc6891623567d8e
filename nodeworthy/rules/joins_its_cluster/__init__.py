"""The boot script joins the cluster, once, with the fleet's name, endpoint, CA and service range.

A node that joins another cluster than its own is not missed there and not found here. nodeadm refuses a NodeConfig that
leaves out the name, the endpoint, the CA or the service range (a hybrid node has a name and a region only; the part
that is added to a managed node group's own has no `cluster` at all). The CA is base64: a bare certificate, what is no
base64, and base64 of a key can't be it; whether the certificate in it is whole is not asked. bootstrap.sh takes
endpoint and CA together or asks EKS for both. An option that is glued to the word before it (`$NAME--b64-cluster-ca`)
is none: the name is another, and the option is never told. A script that joins twice on one path configures kubelet a
second time while it runs; so does one that runs `nodeadm init` beside a NodeConfig, with which nodeadm-run joins by
itself. In `K3S_URL=… curl … | sh -` the variables are curl's alone: the installer behind the pipe is never told them,
and makes a server of its own where an agent was meant; so it does where nobody exports them, or where `sudo` keeps them
back. kubeadm takes arguments (`extraArgs`) up to v1beta3 as a mapping and from v1beta4 on as a list, and refuses a
config that has the other, or whose version it has no more (v1beta2 since 1.27) or not yet. It takes by option or in its
config, and never both ways, what it installs, and refuses a token without a hash of the CA. Nodes of RKE2 join at port
9345, and at 6443 nobody answers them. `k3s agent` ends at once where it is given an option that only `k3s server` has
(`--disable traefik`, `--flannel-backend=none`), and k3s since 1.25 where it is given one that is gone (`--no-deploy`,
`--no-flannel`, `--cluster-secret`). Of a script in which nothing joins it is only said that this is wrong where it is
the whole user data of an EKS pool: to a managed node group EKS adds the part that joins (but not where its launch
template names an image), and a helper script joins nothing. Without a fleet the cluster is that of the group: the name
that a program or a root gives it is the one to join with. A managed node group with such an image and no user data at
all starts machines that are no nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, Unknown, fail, need, skip

RULE = Rule(
    "joins-its-cluster",
    severity=Severity.ERROR,
    incident="D",
    title="The boot script joins the fleet's cluster, once, with its name, endpoint, CA and service range",
    remedy="join with the name, the endpoint, the CA and the service range of `aws eks describe-cluster`",
    of_a_program=True,
)


@RULE.check
def an_image_of_ones_own_comes_with_a_script(nodes: NodeGroup) -> Findings:
    image = nodes.templates("imageId") if nodes.is_managed else None
    if image is None or image.says_nothing or image.text == "":
        return  # EKS adds the part that joins; and what it does not start is judged by its script
    if isinstance(image.value, Unknown) and not image.value.of:
        need(image.located())
    script = nodes.templates("userData")
    if script.says_nothing or script.text == "":
        yield fail(
            image,
            f"nodes of {nodes.title} never join the cluster: they boot with an image of their own and no user data",
            is_="an image, and no user data",
            should="user data that joins with the name, the endpoint, the CA and the service range of the cluster",
            cause="to an image that a launch template names, EKS adds nothing",
            remedy="give it user data that joins (AL2023: a NodeConfig, AL2: a call of /etc/eks/bootstrap.sh), or "
            "leave the image to EKS (amiType)",
        )


@RULE.check
def its_nodes_join_the_cluster_of_their_group(nodes: NodeGroup, scripts: Sequence[BootScript]) -> Findings:
    named = nodes.groups("clusterName")
    if named.text is None and nodes.cluster is not None:
        named = nodes.cluster.get("name")
    if named.text is None or nodes.template is None:
        skip("no cluster is made here whose name is known")
    for script in scripts:
        if script.holder == nodes.template.urn and not script.pools:
            from nodeworthy.rules.joins_its_cluster.by_script import another_cluster

            yield from another_cluster(nodes, script, named.located())
