"""The metadata service asks for a session token (IMDSv2), and answers no further away than pods are.

With IMDSv1, whoever can make a pod fetch an address gets the credentials of its node. A token can't be fetched that
way, and its answer travels as many hops as `httpPutResponseHopLimit` says: one reaches the node, two reach its pods,
for those that still need the node's own role; nobody needs a third. Pods with an identity of their own (EKS Pod
Identity, IRSA) need none, so that one and two are both right.

What is not said follows from the image (`ImdsSupport`) and from the account's defaults, neither of which a program
shows: then it fails, unless the stack sets the account's default itself.
"""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip, unknown

RULE = Rule(
    "instance-metadata-guarded",
    severity=Severity.WARNING,
    incident="D",
    title="IMDSv2 only; the hop limit is what pods need and no more",
    remedy='metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2}',
    of_a_program=True,
)

DEFAULTS = "aws:ec2/instanceMetadataDefaults:InstanceMetadataDefaults"
# From the service to a pod on the node.
MOST_HOPS = 2
CAUSE = "a pod, or a stranger through a pod, can act as the node does"


@RULE.check
def nobody_takes_the_nodes_credentials(nodes: NodeGroup) -> Findings:
    if nodes.template is None:
        if nodes.is_managed and nodes.groups("launchTemplate").is_absent:
            skip("EKS starts it from a template of its own, which asks for tokens")
        yield unknown(nodes, f"the metadata options of {nodes.title} are not known: {nodes.no_template}")
        return
    if need(_option(nodes, "httpEndpoint").located()) == "disabled":
        return
    yield from _tokens(nodes)
    yield from _hops(nodes)


def _option(nodes: NodeGroup, name: str) -> Tree:
    said = nodes.templates("metadataOptions", name)
    if not said.says_nothing:
        return said
    return next((each.get(name) for each in _defaults(nodes.stack) if not each.get(name).is_absent), said)


def _defaults(stack: AwsStack) -> list[Tree]:
    return [each.inputs for each in stack.of(DEFAULTS)]


def _tokens(nodes: NodeGroup) -> Findings:
    tokens = _option(nodes, "httpTokens").located()
    said = need(tokens)
    if said == "required":
        return
    yield fail(
        tokens,
        f"nodes of {nodes.title} answer IMDSv1" if said else f"nothing says that nodes of {nodes.title} refuse IMDSv1",
        is_=f"httpTokens: {said}" if said else "no httpTokens",
        should="httpTokens: required",
        related=nodes.declared,
        cause=CAUSE,
    )


def _hops(nodes: NodeGroup) -> Findings:
    limit = _option(nodes, "httpPutResponseHopLimit").located()
    hops = need(limit)
    if hops is None or not str(hops).isdigit() or int(hops) <= MOST_HOPS:
        return
    yield fail(
        limit,
        f"the metadata service of {nodes.title} answers further away than its pods are",
        is_=f"httpPutResponseHopLimit: {hops}",
        should="httpPutResponseHopLimit: 2, or 1 where pods have identities of their own",
        related=nodes.declared,
        cause=CAUSE,
    )
