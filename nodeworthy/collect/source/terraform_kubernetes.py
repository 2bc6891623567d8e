"""Objects of Kubernetes that Terraform's providers have as blocks: workloads, their settings, applications of Argo CD.

A provider writes names in its own way and lists as blocks of one name; here they become what the API has.
"""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.documents.tree import Tree, merge
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.trees import document, tree
from nodeworthy.hcl.values import BLOCK, Obj, Refusal, Seq, Str, Value, Waits, is_null
from nodeworthy.known.terraform import argo_names, kubernetes_kinds, kubernetes_names
from nodeworthy.patterns import pattern

_UNDERSCORE = pattern(r"_([a-z0-9])")
_ARGO, _VALUES = "argocd_application", "values"
_API = {
    **dict.fromkeys(("ConfigMap", "Namespace", "Pod"), "v1"),
    **dict.fromkeys(("CronJob", "Job"), "batch/v1"),
    "PriorityClass": "scheduling.k8s.io/v1",
    "RuntimeClass": "node.k8s.io/v1",
}
# What the provider calls by one name, and the API by several.
_OF_KIND = {"DaemonSet": {"strategy": "updateStrategy"}}
# How long the provider waits for what it has made: nothing of it reaches the API.
_WAITS = frozenset(
    "wait_for_rollout wait_for_completion wait_for_load_balancer wait_until_bound wait_for_default_service_account "
    "timeouts".split()
)
# What the provider keeps as a text, or makes a number of before it reaches the API.
_COUNTS = frozenset(("replicas", "parallelism", "completions", "backoffLimit"))
# Where the pods of a job say whether they are started again.
_OF_JOB = ("spec", "template", "spec", "restartPolicy")
_OF_JOBS = {"Job": _OF_JOB, "CronJob": ("spec", "jobTemplate", *_OF_JOB)}


def declaring_types() -> frozenset[str]:
    return frozenset((*kubernetes_kinds(), _ARGO))


def object_of(instance: Instance) -> Tree:
    """The object as a manifest has it, each value where it is written."""
    kind = kubernetes_kinds().get(instance.type, "Application")
    is_argos = instance.type == _ARGO
    said = _with_documents(instance.values, instance) if is_argos else instance.values
    said = Obj(
        said.kind,
        {name: each for name, each in said.items.items() if name not in _WAITS},
        said.spot,
        said.keys,
        said.rest,
    )
    made = _block(said, argo_names() if is_argos else {**kubernetes_names(), **_OF_KIND.get(kind, {})})
    api = "argoproj.io/v1alpha1" if is_argos else _API.get(kind, "apps/v1")
    head = {"apiVersion": Tree(api, instance.place), "kind": Tree(kind, instance.place)}
    return merge(_by_default(kind, instance), Tree({**head, **made.mapping}, instance.place))


def _by_default(kind: str, instance: Instance) -> Tree:
    """What the provider writes where nobody does: the API refuses a job that says nothing of it."""
    found = Tree({}, instance.place)
    if kind in _OF_JOBS:
        found = Tree("Never", instance.place.about("restart_policy"))
        for step in reversed(_OF_JOBS[kind]):
            found = Tree({step: found}, instance.place)
    return found


def _with_documents(said: Obj, instance: Instance) -> Obj:
    """The values in a text, as what stands in it: each then has its own line, and what is not known is a part."""
    items: dict[str, Value] = {}
    for name, each in said.items.items():
        if isinstance(each, Seq):
            inner = [_with_documents(one, instance) if isinstance(one, Obj) else one for one in each.items]
            items[name] = Seq(each.kind, inner, each.spot)
        elif name == _VALUES and isinstance(each, Str):
            made = _document(each, instance)
            items["values_object" if made is not each else name] = made
        else:
            items[name] = each
    return Obj(said.kind, items, said.spot, said.keys, said.rest)


def _document(said: Str, instance: Instance) -> Value:
    try:
        return document(said, instance.module.scope(instance.block.file, instance.names))
    except (Waits, Refusal):
        return said


def _block(said: Obj, names: Mapping[str, str]) -> Tree:
    found: dict[str, Tree] = {}
    for name, each in said.items.items():
        if is_null(each):
            continue
        called, is_list = _name_in_the_api(name, names)
        made = _value(each, names, is_list=is_list)
        found[called] = _counted(made) if called in _COUNTS else made
    return Tree(found, said.spot.place)


def _counted(said: Tree) -> Tree:
    is_a_number = said.text is not None and said.text.isdecimal()
    return Tree(int(said.string), said.place, said.key, said.secret) if is_a_number else said


def _name_in_the_api(name: str, names: Mapping[str, str]) -> tuple[str, bool]:
    """What the API calls it, and whether it has a list there."""
    said = names.get(name)
    if said is not None:
        return said.removesuffix("[]"), said.endswith("[]")
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name), False


def _value(said: Value, names: Mapping[str, str], *, is_list: bool) -> Tree:
    """Blocks of one name are a list, or one object; what somebody named himself (labels, limits) stays."""
    if not isinstance(said, Seq):
        return tree(said)
    blocks = [
        _block(each, names) if isinstance(each, Obj) and each.kind == BLOCK else tree(each) for each in said.items
    ]
    is_of_blocks = any(isinstance(each, Obj) and each.kind == BLOCK for each in said.items)
    if is_of_blocks and not is_list and len(blocks) == 1:
        return blocks[0]
    return Tree(blocks, said.spot.place)
