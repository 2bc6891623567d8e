"""Pods as bjw-s' app-template makes them of its values: `controllers.NAME.containers.NAME`.

Its charts of 1.x have one container and its pod at the top of the values. Containers and variables are mappings by
their names there, an image is its repository and its tag, and what all pods are to have stands in `defaultPodOptions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.tree import Tree, merge
from nodeworthy.facts.pod.template import PodTemplate

# What a controller is where nobody says its type.
_KIND = "Deployment"
_KINDS = {
    "deployment": _KIND,
    "daemonset": "DaemonSet",
    "statefulset": "StatefulSet",
    "cronjob": "CronJob",
    "job": "Job",
}
# Of a pod, as a chart of 1.x keeps it at the top.
_OF_A_POD = (
    "affinity dnsConfig dnsPolicy hostIPC hostNetwork hostPID nodeSelector priorityClassName runtimeClassName "
    "schedulerName tolerations"
).split()
_OF_A_CONTAINER = "args command env envFrom image lifecycle resources securityContext workingDir".split()


def pods_of_controllers(values: Tree, named: Tree, elsewhere: str | None) -> Iterator[PodTemplate]:
    """One for each controller that has to do with GPUs; `named` is the metadata of the release."""
    controllers = values.get("controllers").mapping
    for name, controller in controllers.items():
        if controller.is_mapping and controller.get("enabled").value is not False:
            called = _with_release_name(named, name, is_alone=len(controllers) == 1)
            kind = _KINDS.get(controller.get("type").text or "deployment", _KIND)
            spec = _spec(values, controller)
            yield from _with_gpus(_template(called, kind, controller, spec, elsewhere=elsewhere, path=name))


def pod_of_one_container(values: Tree, named: Tree, elsewhere: str | None) -> Iterator[PodTemplate]:
    """The pod of a chart of 1.x."""
    if not values.get("image", "repository").text:
        return
    container = _container("main", _some(values, _OF_A_CONTAINER), values)
    spec = Tree({**_some(values, _OF_A_POD).mapping, "containers": Tree([container], values.place)}, values.place)
    kind = _KINDS.get(values.get("controller", "type").text or "deployment", _KIND)
    yield from _with_gpus(_template(named, kind, values, spec, elsewhere=elsewhere))


def _with_gpus(pod: PodTemplate) -> Iterator[PodTemplate]:
    if pod.uses_gpus:
        yield pod


def _template(named: Tree, kind: str, at: Tree, spec: Tree, *, elsewhere: str | None, path: str = "") -> PodTemplate:
    document = Tree({"kind": Tree(kind, at.place), "metadata": named, "spec": at}, at.place, at.key)
    template = Tree({"metadata": at.get("pod"), "spec": spec}, at.heading, at.key)
    return PodTemplate(document, template, (document, at), path and f"controllers.{path}", elsewhere)


def _with_release_name(named: Tree, controller: str, *, is_alone: bool) -> Tree:
    release = named.get("name").text
    whole = (
        controller if release is None else release if is_alone or release == controller else f"{release}-{controller}"
    )
    return Tree({**named.mapping, "name": Tree(whole, named.place)}, named.place, named.key)


def _spec(values: Tree, controller: Tree) -> Tree:
    defaults, own = values.get("defaultPodOptions"), controller.get("pod")
    is_merged = values.get("defaultPodOptionsStrategy").text == "merge"
    said = merge(defaults, own) if is_merged else _over(defaults, own)
    lists = {
        each: Tree(list(_containers(values, controller, each)), controller.get(each).place)
        for each in ("containers", "initContainers")
    }
    return Tree({**said.mapping, **{name: tree for name, tree in lists.items() if tree.sequence}}, controller.place)


def _over(defaults: Tree, own: Tree) -> Tree:
    """Each setting as a whole, the nearer one wins."""
    return Tree({**defaults.mapping, **own.mapping}, (own if own.is_mapping else defaults).place)


def _containers(values: Tree, controller: Tree, which: str) -> Iterator[Tree]:
    options = controller.get("defaultContainerOptions")
    if options.is_absent:
        options = values.get("defaultContainerOptions")
    is_merged = "merge" in (holder.get("defaultContainerOptionsStrategy").text for holder in (values, controller))
    laid = merge if is_merged else _over
    takes_all = (
        which == "containers" or controller.get("applyDefaultContainerOptionsToInitContainers").value is not False
    )
    for name, tree in controller.get(which).mapping.items():
        if tree.is_mapping and tree.get("enabled").value is not False:
            yield _container(name, laid(options, tree) if takes_all else tree, tree)


def _container(name: str, said: Tree, tree: Tree) -> Tree:
    """The container in Kubernetes' own form."""
    children = {**said.mapping, "name": Tree(name, tree.heading)}
    image, env = said.get("image"), said.get("env")
    if image.is_mapping:
        tag = image.get("tag")
        written = f"{image.get('repository').value}{f':{tag.value}' if tag.text or tag.value else ''}"
        children["image"] = Tree(written, image.get("repository").place, image.key)
    if env.is_mapping:
        children["env"] = Tree(list(_variables(env.mapping)), env.place, env.key)
    return Tree(children, tree.heading, tree.key)


def _variables(env: Mapping[str, Tree]) -> Iterator[Tree]:
    for name, tree in env.items():
        named = {"name": Tree(name, tree.heading)}
        if not tree.is_mapping:
            value = {"value": tree}
        elif not tree.get("value").is_absent:
            value = {"value": tree.get("value")}
        else:
            source = tree.get("valueFrom")
            value = {"valueFrom": tree if source.is_absent else source}
        yield Tree({**named, **value}, tree.heading, tree.key)


def _some(tree: Tree, names: list[str]) -> Tree:
    return Tree({name: tree.get(name) for name in names if not tree.get(name).is_absent}, tree.place, tree.key)
