"""The picture of a fleet: what a reviewer reads from it, and that nothing in a fleet can break out of it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet
from nodeworthy.report.fleet_html import html, svg
from nodeworthy.report.fleet_picture import picture_of, text_picture
from nodeworthy.verdict import Place

PROD = """
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {name: gpu-prod, version: "1.34"}
    network:
      nodePortsFrom: [10.0.0.0/8]
      openToTheWorld: [{port: 443, why: public <b>API</b> & docs}]
    registries:
      - {host: "registry-ghcr.gpu-controlplane.svc.cluster.local:5000", plainHttp: true, mirrors: ghcr.io}
    storage: {kind: efs, mount: /shared}
    monitoring: {retention: 15d, volume: 50Gi, grafanaNodePort: 30080}
    queue: {volume: 100Gi}
    operator: {chart: 26.3.0}
    pools:
      h100: {gpu: h100, instanceType: p5.48xlarge, nodes: 2, profilingDedicated: 1, capacity: {kind: block, id: cr-0}}
      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 20}
      rack: {gpu: h200, gpusPerNode: 8, distribution: k8s-snap, provision: false, nodes: 1, firewall: ufw}
      cpu: {instanceType: c7i.4xlarge, nodes: 2, min: 1, max: 4}
"""


@pytest.fixture(scope="module")
def fleet() -> Fleet:
    document = read(PROD, Place(path="Pulumi.prod.yaml"))
    assert document is not None
    return read_fleet(document, "prod")


def test_a_gpu_is_a_square_and_a_node_a_group_of_them(fleet: Fleet) -> None:
    lines = {line.split()[0]: line for line in text_picture(picture_of(fleet)).splitlines() if line.strip()}
    assert "▣▣▣▣▣▣▣▣ ■■■■■■■■  " in lines["h100"]
    assert "□ □  " in lines["cpu"]
    assert "■■■■ … 20 in all" in lines["t4"]
    assert "checked, not built" in lines["rack"]


def test_who_reaches_whom_follows_from_the_fleet(fleet: Fleet) -> None:
    flows = {(each.source, each.target, each.ports) for each in picture_of(fleet).flows}
    assert {
        ("control plane", "nodes", "tcp 10250"),
        ("nodes", "control plane", "tcp 443"),
        ("10.0.0.0/8", "nodes", "tcp 30000–32767"),
        ("everyone", "nodes", "tcp 443"),
        ("nodes", "registry cache", "tcp 5000"),
        ("nodes", "EFS storage", "tcp 2049"),
        ("nodes", "job queue", "tcp 5432"),
        ("10.0.0.0/8", "monitoring", "tcp 30080"),
    } <= flows


def test_the_drawing_has_a_square_for_every_gpu_that_is_shown(fleet: Fleet) -> None:
    drawn = ET.fromstring(svg(picture_of(fleet)))
    classes = [each.get("class") for each in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    # Two H100 nodes, the first eight of twenty T4 nodes, one H200 node; two nodes have no GPU.
    assert (classes.count("profiling"), classes.count("gpu"), classes.count("node")) == (8, 8 + 8 * 4 + 8, 2)
    assert classes.count("card elsewhere") == 1


def test_nothing_is_drawn_outside_of_the_picture(fleet: Fleet) -> None:
    drawn = ET.fromstring(svg(picture_of(fleet)))
    _, _, width, height = map(int, str(drawn.get("viewBox")).split())
    for each in drawn.iter("{http://www.w3.org/2000/svg}rect"):
        assert int(each.get("x") or 0) + int(each.get("width") or 0) <= width
        assert int(each.get("y") or 0) + int(each.get("height") or 0) <= height


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def test_what_a_fleet_says_is_text_in_the_page(fleet: Fleet) -> None:
    page = html(picture_of(fleet))
    tags = _Tags()
    tags.feed(page)
    assert "b" not in tags.seen
    assert "script" not in tags.seen
    assert "public &lt;b&gt;API&lt;/b&gt; &amp; docs" in page
    assert not re.search(r"(?:src|href)=|url\((?!#)", page), "the page loads nothing"
