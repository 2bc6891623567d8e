"""Looks, reboots, waits until each host is back by a new boot, and looks again. Only where it was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from testinfra.host import Host

from nodeworthy.collect.node.asked import AskedHost, ask
from nodeworthy.collect.node.backends import Ssh, register
from nodeworthy.collect.node.collector import Asking, hosts_of, look_at
from nodeworthy.collect.node.connections import Connections, NotAnswering
from nodeworthy.collect.node.deadline import TooLate
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.specs import Spec
from nodeworthy.collect.node.waiting import Progress, in_parallel, name_of, until_ready
from nodeworthy.errors import InputError
from nodeworthy.interrupts import tidied
from nodeworthy.records import dataclass

SECONDS = 600.0
# systemd makes a new one at each boot, in a container too.
BOOT_ID = "cat /proc/sys/kernel/random/boot_id"
RESTART = 'if [ "$(id -u)" = 0 ]; then systemctl reboot || reboot; else sudo -n systemctl reboot || sudo -n reboot; fi'
# What ssh ends with where the host has cut the connection: it obeys.
_CUT = ("closed by remote host", "closed.", "Connection reset", "Broken pipe", "ssh ended with 255")


@dataclass(frozen=True)
class Twice:
    """What each host said before it was rebooted, and afterwards."""

    before: Sequence[AskedHost]
    after: Sequence[AskedHost]


def can_be_rebooted(specs: Sequence[Spec]) -> None:
    """Raises InputError for what could not be found again."""
    for each in specs:
        if each.scheme == "nsenter" and each.text.removeprefix("nsenter://").isdecimal():
            raise InputError(f"{each.text}: a reboot gives it another number; name a file that holds it")
        if each.scheme not in ("ssh", "nsenter"):
            raise InputError(f"{each.text}: --reboot is for ssh:// and nsenter://, whose hosts are found again")


def look_twice(specs: Sequence[Spec], asking: Asking, progress: Progress | None = None) -> Twice:
    connections = Connections(asking.seconds, asking.reach)
    register(connections)
    with tidied(connections.close):
        hosts = [each for each in hosts_of(specs, asking) if asking.only is None or name_of(each) in asking.only]
        _each_once(hosts)
        before = look_at(hosts, asking, progress)
        boots = _Boots(hosts, before)
        in_parallel(hosts, asking.workers, boots.restart)
        going = [each for each in hosts if name_of(each) not in boots.refused]
        back = iter(until_ready(going, asking.workers, boots.ask, asking.wait or SECONDS, progress))
        return Twice(before, [boots.refused.get(name_of(each)) or next(back) for each in hosts])


def _each_once(hosts: Sequence[Host]) -> None:
    names = [name_of(each) for each in hosts]
    doubled = sorted({each for each in names if names.count(each) > 1})
    if doubled:
        raise InputError(f"{doubled[0]} is named twice, and would be rebooted twice")


class _Boots:
    """Which boot each host was in, and why it was not rebooted where it was not."""

    def __init__(self, hosts: Sequence[Host], before: Sequence[AskedHost]) -> None:
        self._before: Mapping[str, AskedHost] = {name_of(host): each for host, each in zip(hosts, before, strict=True)}
        self._boots: dict[str, str] = {}
        self.refused: dict[str, AskedHost] = {}

    def restart(self, host: Host) -> AskedHost:
        name = name_of(host)
        seen = self._before[name]
        if seen.recording is None or seen.recording.unreached is not None:
            self.refused[name] = seen
            return seen
        try:
            self._boots[name] = _boot_id(host)
            _restart(host)
        except (NotAnswering, TooLate) as problem:
            self.refused[name] = _unreached(name, f"it was not rebooted: {problem}")
        _forget(host)
        return seen

    def ask(self, host: Host) -> AskedHost:
        """What it says in its new boot."""
        name = name_of(host)
        try:
            back = _boot_id(host) != self._boots[name]
        except (NotAnswering, TooLate) as problem:
            _forget(host)
            return _unreached(name, f"it has not come back from its reboot: {problem}")
        return ask(host) if back else _unreached(name, "it has not been rebooted yet: its boot is the one from before")


def _boot_id(host: Host) -> str:
    answer = host.run(BOOT_ID)
    said: str = answer.stdout.strip()
    if answer.rc != 0 or not said:
        raise NotAnswering(f"which boot it is in is not known: {answer.stderr.strip() or 'it does not say'}")
    return said


def _restart(host: Host) -> None:
    """Raises NotAnswering where the host refuses."""
    try:
        answer = host.run("/bin/sh -c %s", RESTART)
    except TooLate:
        return  # on its way down it need not answer
    except NotAnswering as cut:
        if any(each in str(cut) for each in _CUT):
            return
        raise
    # Killed by its own reboot, a shell ends by a signal.
    if answer.rc not in (0, 129, 137, 143, -9, -15):
        said = answer.stderr.strip().splitlines()
        raise NotAnswering(said[-1] if said else f"the command ended with {answer.rc}")


def _forget(host: Host) -> None:
    """A connection of the boot before leads nowhere."""
    if isinstance(host.backend, Ssh):
        host.backend.close()


def _unreached(name: str, why: str) -> AskedHost:
    return AskedHost(name, Recording(name, unreached=why))
