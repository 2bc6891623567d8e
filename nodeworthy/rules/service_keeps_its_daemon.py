"""systemd keeps the daemon that a unit starts.

slurmctld, slurmd, slurmdbd, munged and nvidia-persistenced put themselves into the background. To `Type=simple`, which
is what systemd takes where a unit says none, the service has ended with that, and it kills what is left of it: the
daemon is gone a moment after it was started, and `systemctl status` says `inactive (dead)`, with no error. With `-D`
(munged: `-F`) they stay, and `Type=simple` is right; nvidia-persistenced has no such option, and its unit says
`Type=forking`.

Units are read as files, as templates of Ansible's, and as scripts write them. Where a variable holds the options,
nothing is said.
"""

from __future__ import annotations

from nodeworthy.facts.boot.forking_service import ForkingService
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail

RULE = Rule(
    "service-keeps-its-daemon",
    severity=Severity.ERROR,
    title="systemd keeps the daemon that a unit starts",
    remedy="let the daemon stay in the foreground (-D, munged: -F), or say Type=forking",
    never_unknown="a unit whose options are filled in later is not judged",
)


@RULE.check
def it_stays_or_forks(service: ForkingService) -> Findings:
    if not service.loses_it:
        return
    has_none = service.daemon == "nvidia-persistenced"
    yield fail(
        service.place,
        f"{service.daemon} puts itself into the background, and systemd kills it: its unit is of Type={service.type}",
        is_=service.written,
        should="Type=forking" if has_none else f"{service.daemon} {service.stays_with}",
        cause="the process that systemd has started ends as the daemon forks: the service is over, and all of its "
        "processes are killed",
        remedy="say Type=forking"
        if has_none
        else f"give it {service.stays_with}, or say Type=forking with its PIDFile",
    )
