"""Resources that wait for each other end a preview with a sentence that names one of them."""

from __future__ import annotations

from pathlib import Path

from tests.plan.programs import preview, project

COMPONENT = """
class Pool(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("fleet:index:Pool", name)
        Thing(name, opts=pulumi.ResourceOptions(parent=self, depends_on=[self]))

Pool("h100")
"""


def test_a_resource_that_depends_on_what_it_is_a_part_of(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, COMPONENT))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("We have detected a circular dependency involving a resource of type toy:index:Thing")
    assert "named h100" in ran.err
    assert "Traceback" not in ran.err
