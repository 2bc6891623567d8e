"""What a chart's containers are to have, as its values say it: `resources`, under whatever name a chart keeps it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.release import Release, chart_name
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.facts.pod.template import OF_VALUES, PodTemplate

RESOURCES = "resources"
APP_TEMPLATE = "app-template"
_DEEPEST = 4
# As charts call what they give a container as its variables, beside its resources; of these only what says which GPUs
# it sees, for how a chart writes down the others its template decides.
_ENVIRONMENTS = ("env", "extraEnv", "extraEnvVars", "extraEnvs", "envVars", "environment", "additionalEnv")
# What is said of a container's pod beside its resources.
_OF_A_POD = ("affinity", "nodeSelector", "runtimeClassName", "tolerations")
# KubeSpawner's names of a container's resources.
_OF_A_SPAWNER = {"extra_resource_limits": "limits", "extra_resource_guarantees": "requests"}
# As all charts call how their one container is asked whether it runs.
_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
_OF_GPUS = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "CUDA_VISIBLE_DEVICES")


def pods_of_chart(release: Release) -> Iterator[PodTemplate]:
    """A chart's pods, where its values ask for GPUs."""
    values = release.values
    if not values.is_mapping or not values.get("apiVersion").is_absent or not values.get("kind").is_absent:
        return
    if not release.is_installed and values.get("metadata").is_mapping:  # an object that does not say its kind
        return
    if is_app_template(values):
        from nodeworthy.facts.pod.app_template import pods_of_controllers

        yield from pods_of_controllers(values, release.metadata, release.elsewhere)
    elif chart_name(release.chart) == APP_TEMPLATE and not values.get("image").is_absent:
        from nodeworthy.facts.pod.app_template import pod_of_one_container

        yield from pod_of_one_container(values, release.metadata, release.elsewhere)
    else:
        yield from templates_of_values(values)
        yield from _notebooks(values)


def is_app_template(values: Tree) -> bool:
    """No other chart has containers by their names below controllers by theirs."""
    controllers = values.get("controllers").mapping.values()
    return any(_is_container(each) for one in controllers for each in one.get("containers").mapping.values())


def _is_container(tree: Tree) -> bool:
    return tree.is_mapping and (not tree.get("image", "repository").is_absent or "env" in tree.mapping)


def templates_of_values(document: Tree) -> Iterator[PodTemplate]:
    """One for each `resources` that asks for GPUs: a chart's template writes it into a container as it stands."""
    if document.is_mapping and document.get("apiVersion").is_absent and document.get("kind").is_absent:
        yield from _within(document, document, "", _DEEPEST)


def _within(document: Tree, tree: Tree, path: str, depth: int) -> Iterator[PodTemplate]:
    for name, child in tree.mapping.items():
        if name == RESOURCES and asks_for_gpus(child):
            yield _template(document, child, path or RESOURCES, tree)
        elif depth and child.is_mapping:
            yield from _within(document, child, f"{path}.{name}" if path else name, depth - 1)


def _notebooks(values: Tree) -> Iterator[PodTemplate]:
    """JupyterHub's: what each user's pod is to have, and what a profile of it says otherwise."""
    for holder in (values, *(each for each in values.mapping.values() if each.is_mapping)):
        for profile in holder.get("singleuser", "profileList").sequence:
            override = profile.get("kubespawner_override")
            amounts = {ours: override.get(theirs) for theirs, ours in _OF_A_SPAWNER.items()}
            resources = Tree({name: each for name, each in amounts.items() if each.is_mapping}, override.place)
            if asks_for_gpus(resources):
                selector = override.get("node_selector")
                chosen = {"nodeSelector": selector} if selector.is_mapping else {}
                said = Tree({**override.mapping, **chosen}, override.place, override.key)
                yield _template(values, resources, profile.get("display_name").text or "a profile", said)


def _variables(beside: Tree) -> Iterator[Tree]:
    """The variables about GPUs, written as a list of names and values or as a mapping."""
    for env in map(beside.get, _ENVIRONMENTS):
        yield from (each for each in env.sequence if each.is_mapping and each.get("name").text in _OF_GPUS)
        for name in _OF_GPUS:
            value = env.mapping.get(name)
            if value is not None and value.text is not None:
                yield Tree({"name": Tree(name, value.heading), "value": value}, value.place, value.key)


def _image_and_probes(beside: Tree) -> dict[str, Tree]:
    """The image that charts name in two words, and the probes that they copy."""
    found = {name: each for name in _PROBES if not (each := beside.get(name, "httpGet", "path")).is_absent}
    probes = {name: beside.get(name) for name in found}
    repository, tag = (beside.get("image", each) for each in ("repository", "tag"))
    if not probes or not repository.text:
        return {}
    return {**probes, "image": Tree(f"{repository.text}:{tag.text or 'latest'}", repository.place, repository.key)}


def asks_for_gpus(resources: Tree) -> bool:
    amounts = (*resources.get("limits").mapping, *resources.get("requests").mapping)
    return any(map(is_gpu_resource, amounts))


def _template(document: Tree, resources: Tree, path: str, beside: Tree) -> PodTemplate:
    place = resources.heading
    name = Tree(path, place)
    told = list(_variables(beside))
    env = {"env": Tree(told, told[0].place)} if told else {}
    container = Tree({"name": name, RESOURCES: resources, **env, **_image_and_probes(beside)}, place)
    around = {name: each for name in _OF_A_POD if not (each := beside.get(name)).is_absent}
    spec = Tree({**around, "containers": Tree([container], place)}, place)
    named = Tree({"kind": Tree(OF_VALUES, place), "metadata": Tree({"name": name}, place)}, document.place)
    return PodTemplate(named, Tree({"spec": spec}, place), (named,), path)
