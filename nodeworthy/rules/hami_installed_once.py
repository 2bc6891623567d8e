"""HAMi is installed once in a cluster, where the fleet wants it.

Two installations (an old one in `kube-system` beside a new one in `hami-system`, say) register two webhooks that
overwrite each other's scheduler, and two device plugins that hand out the same GPUs. An installation is found by the
labels of its pods, in the chart's spelling of today (`app.kubernetes.io/component: hami-scheduler`) or of before
(`app=hami-scheduler`), else by their names, else by the image and the program that they run, and told apart by
namespace and Helm release. Where a fleet asks for HAMi and nothing of it runs, that is a fault, too; where nobody asks
for it, its rules are skipped.
"""

from __future__ import annotations

from nodeworthy.facts.hami.cluster import HamiInstallations, Installation
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, unknown

RULE = Rule(
    "hami-installed-once",
    severity=Severity.ERROR,
    incident="C",
    title="HAMi is installed once in a cluster, where the fleet wants it",
    remedy="uninstall the one whose webhook is not called: `helm list -A | grep hami`, then `helm uninstall`",
)


@RULE.check
def there_is_one(hami: HamiInstallations) -> Findings:
    if not hami.found:
        yield from _none(hami)
        return
    if len(hami.found) > 1:
        first, *others = hami.found
        yield fail(
            first.place,
            f"HAMi is installed {len(hami.found)} times",
            is_=" and ".join(each.title for each in hami.found),
            should="one installation",
            related=[_says(each, hami) for each in hami.found],
            cause="each has a webhook that sets its own scheduler and a device plugin that hands out the same GPUs",
            remedy=_remedy(hami),
            victims=[part.pod.object for each in others for part in each.parts],
        )
        return
    if hami.seen_in_part is not None:
        yield unknown(
            hami.found[0].place, f"whether HAMi is installed elsewhere, too, is not known: {hami.seen_in_part}"
        )


def _none(hami: HamiInstallations) -> Findings:
    if hami.seen_in_part is not None:
        yield unknown(hami, f"whether HAMi is installed is not known: {hami.seen_in_part}")
        return
    yield fail(
        hami,
        "the fleet shares its GPUs through HAMi, and nothing of it runs in the cluster",
        is_="no scheduler and no device plugin of HAMi",
        should="one installation",
        related=[hami.asked_for] if hami.asked_for is not None else (),
        cause="no pod was found by its labels or its name; pods that ask for shares stay Pending",
        remedy="install the chart hami, or take `hami` out of the fleet",
    )


def _says(one: Installation, hami: HamiInstallations) -> Related:
    found = one.parts[0].found_by if one.parts else "its workloads"
    called = "its webhook is called" if hami.is_called(one) else "no webhook calls it"
    return Related(one.place, f"{one.title}, found by {found}; {called}")


def _remedy(hami: HamiInstallations) -> str:
    idle = [each for each in hami.found if not hami.is_called(each)]
    one = idle[0] if len(idle) == 1 else None
    if one is None:
        return RULE.remedy
    if not one.release:
        return f"remove the one in namespace {one.namespace}, which no webhook calls: `helm list -n {one.namespace}`"
    return f"helm uninstall {one.release} -n {one.namespace}"
