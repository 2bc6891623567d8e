"""The extensions that an image of Talos is made with: all of one branch of the driver."""

from __future__ import annotations

from nodeworthy.facts.fleet.talos_extensions import NvidiaExtensions
from nodeworthy.rules.driver_fits import RULE
from nodeworthy.verdict import Findings, Related, fail, skip


@RULE.check
def they_are_of_one_branch(extensions: NvidiaExtensions) -> Findings:
    modules = extensions.modules
    if modules is None:
        skip("no modules of a branch are among them")
    for each in extensions.every:
        if each.branch != modules.branch and not each.holds_modules:
            yield fail(
                each.tree.located(),
                f"the image has {each.kind} of the branch {each.branch}, and modules of {modules.branch}",
                is_=each.tree.string,
                should=f"{each.kind}-{modules.branch}",
                related=[Related(modules.tree.place, f"the modules are {modules.tree.string}")],
                cause="each branch has a version of the driver of its own, and the libraries of one do not talk to the "
                "module of another: `Driver/library version mismatch`, and the node offers no GPU",
                remedy="name both with the same ending, -lts or -production, and make the image anew",
            )
