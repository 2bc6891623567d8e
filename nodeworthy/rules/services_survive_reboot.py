"""A service that a script brings and starts runs after the next boot, too.

`systemctl start` holds until the machine is switched off. RPM's packages (Rocky, RHEL, Amazon Linux, CentOS) leave
their services off: mariadb, munge, slurmd, slurmctld, slurmdbd, nfs-server, nvidia-fabricmanager. So is a unit that a
script writes itself, whoever made the distribution. A head node then comes back from its first restart without
accounting and without its exports, and nobody remembers what was typed a year ago. `systemctl enable --now` does both.

Debian's and Ubuntu's packages switch their services on, and nothing is said of those. Nor is it where anything else in
the script may do it: a playbook, a link below `*.wants/`, a preset. What runs at every boot (Google's startup scripts),
and what builds an image, is not asked; kubelet, and the container runtime below it, have kubelet-survives-reboot.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.started_for_now import StartedForNow, started_for_now, starts_services
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

RULE = Rule(
    "services-survive-reboot",
    severity=Severity.WARNING,
    title="A service that a script brings and starts runs after the next boot, too",
    remedy="systemctl enable --now SERVICE",
    never_unknown="where something else may switch it on, nothing is said",
)


@RULE.check
def it_is_switched_on(script: BootScript) -> Findings:
    if not starts_services(script):
        skip("it starts no service")
    found = list(started_for_now(script))
    if found:
        yield _draft_of(found)


def _draft_of(found: Sequence[StartedForNow]) -> Draft:
    first, *others = found
    return fail(
        first.place,
        f"{first.name} is started and not enabled: after the next boot it does not run",
        is_=f"systemctl {first.started.act} {first.name}",
        should=f"systemctl enable --now {first.name}",
        related=[
            Related(first.brought.place, f"it comes from here, and {_stays_off(first.is_of_a_package)}"),
            *(Related(each.place, f"nor does {each.name}") for each in others),
        ],
        cause="`systemctl start` holds until the machine is switched off",
        remedy=f"systemctl enable --now {' '.join(each.name for each in found)}",
    )


def _stays_off(of_a_package: bool) -> str:
    return "RPM's packages leave it off" if of_a_package else "nobody enables it"
