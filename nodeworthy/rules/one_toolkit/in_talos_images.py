"""The image of Talos that has NVIDIA's modules has the toolkit, too: nothing else can bring one to its root."""

from __future__ import annotations

from nodeworthy.facts.fleet.talos_extensions import TOOLKIT, NvidiaExtensions
from nodeworthy.rules.one_toolkit import RULE, WITHOUT_ANY
from nodeworthy.verdict import Findings, fail, skip


@RULE.check
def the_image_has_it(extensions: NvidiaExtensions) -> Findings:
    modules = extensions.modules
    if modules is None or not extensions.is_whole:
        skip("no modules are in it, or it is not all that the image has")
    if extensions.has_toolkit:
        return
    yield fail(
        modules.tree.located(),
        "the image has the driver's modules and no container toolkit",
        is_=f"no {TOOLKIT}-{modules.branch}",
        should=f"siderolabs/{TOOLKIT}-{modules.branch} beside {modules.tree.string}",
        cause=f"{WITHOUT_ANY}; the operator can bring none, for the root of Talos is read-only",
        remedy=f"name siderolabs/{TOOLKIT}-{modules.branch}, too, and make the image anew",
    )
