"""The program's Kubernetes objects are sent to a real API server, which refuses what Kubernetes would refuse.

They are sent as the engine sends them to the provider once everything is known, for a server-side dry run that takes
no field that it does not know. Not sent are Helm releases: no chart is rendered here, and so none of the custom
resources that charts bring is seen.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from . import projects
from .control_plane import ControlPlane
from .kube_client import Answer
from .moto_server import MotoServer
from .pulumi_cli import PulumiCli
from .tools import Tools

STACKS = ("ci", "prod")
# As the fleets of both stacks have it: a Service of theirs asks for an address in it.
SERVICES = "172.20.0.0/16"
NOT_SENT = {"kubernetes:helm.sh/v3:Release"}
Object = dict[str, Any]


@pytest.fixture(scope="module")
def server(tools: Tools) -> Iterator[ControlPlane]:
    with ControlPlane(tools, service_range=SERVICES) as plane:
        yield plane


@pytest.fixture(scope="module", params=STACKS)
def objects(request: pytest.FixtureRequest, tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    scratch = tmp_path_factory.mktemp(request.param)
    with MotoServer("us-east-2") as moto:
        cli = PulumiCli(tools.path("pulumi"), projects.ours(scratch / "made"), scratch / "cli", aws=moto.aws)
        ran = cli.up(request.param, None)
    assert ran.exit_code == 0, ran.output
    sent = cli.inputs(request.param)
    of_kubernetes = {urn: urn.split("::")[2] for urn in sent if urn.split("::")[2].startswith("kubernetes:")}
    return [sent[urn] for urn, kind in of_kubernetes.items() if kind not in NOT_SENT]


@pytest.fixture
def namespaces(server: ControlPlane, objects: list[Object]) -> None:
    """They are really made: what is in one can't be tried without it."""
    for each in objects:
        if each["kind"] == "Namespace":
            assert server.client.request("POST", "/api/v1/namespaces", each).status in (201, 409)


def dry_run(server: ControlPlane, sent: Object) -> Answer:
    group = sent["apiVersion"]
    root = f"/apis/{group}" if "/" in group else f"/api/{group}"
    served = server.client.get(root)["resources"]
    [kind] = [each for each in served if each["kind"] == sent["kind"] and "/" not in each["name"]]
    within = f"/namespaces/{sent['metadata'].get('namespace', 'default')}" if kind["namespaced"] else ""
    return server.client.request("POST", f"{root}{within}/{kind['name']}?dryRun=All&fieldValidation=Strict", sent)


@pytest.mark.usefixtures("namespaces")
def test_every_object_is_accepted(server: ControlPlane, objects: list[Object]) -> None:
    kinds = {each["kind"] for each in objects}
    assert {"Deployment", "StatefulSet", "Service", "PersistentVolumeClaim", "StorageClass", "Secret"} <= kinds
    refused = {}
    for each in objects:
        answer = dry_run(server, each)
        if answer.status != 201 and not (each["kind"] == "Namespace" and answer.status == 409):
            refused[f"{each['kind']} {each['metadata']['name']}"] = answer.message
    assert refused == {}


def _misspelt(sent: Object) -> None:
    container = sent["spec"]["template"]["spec"]["containers"][0]
    container["imagePullPolicie"] = "Always"


def _selecting_others(sent: Object) -> None:
    sent["spec"]["selector"]["matchLabels"] = {"app": "another"}


def _of_a_wrong_type(sent: Object) -> None:
    sent["spec"]["replicas"] = "two"


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize(
    ("spoil", "status", "words"),
    [
        (_misspelt, 400, 'unknown field "spec.template.spec.containers[0].imagePullPolicie"'),
        (_selecting_others, 422, "`selector` does not match template `labels`"),
        (_of_a_wrong_type, 400, "replicas"),
    ],
)
def test_what_is_wrong_is_refused(
    server: ControlPlane, objects: list[Object], spoil: Callable[[Object], None], status: int, words: str
) -> None:
    spoilt = copy.deepcopy(next(each for each in objects if each["kind"] == "StatefulSet"))
    spoil(spoilt)
    answer = dry_run(server, spoilt)
    assert answer.status == status
    assert words in answer.message


def test_an_address_outside_the_range_of_services_is_refused(server: ControlPlane, objects: list[Object]) -> None:
    spoilt = copy.deepcopy(next(each for each in objects if "clusterIP" in each.get("spec", {})))
    spoilt["spec"]["clusterIP"] = "10.96.0.7"
    assert dry_run(server, spoilt).status == 422
