"""Of a resource whose provider is not known yet, nothing is known: the real engine does not ask such a provider."""

from __future__ import annotations

from pathlib import Path

from tests.plan.programs import inputs, preview, project

PROGRAM = """
class Named(pulumi.CustomResource):
    name: pulumi.Output[str]
    def __init__(self, name, provider):
        super().__init__("toy:index:Named", name, {"name": name}, pulumi.ResourceOptions(provider=provider))

class Cloud(pulumi.ProviderResource):
    def __init__(self, name, props):
        super().__init__("toy", name, props)

cluster = Thing("cluster")
for name, login in (("later", cluster.id), ("now", "somebody")):
    Thing(f"{name}-user", {"of": Named(name, Cloud(f"{name}-cloud", {"login": login})).name})
"""


def test_what_the_program_gave_is_not_handed_back(tmp_path: Path) -> None:
    found = inputs(preview(project(tmp_path, PROGRAM), "--no-simulate"))
    assert found["later-user"] == {"of": "(unknown)"}
    assert found["now-user"] == {"of": "now"}
