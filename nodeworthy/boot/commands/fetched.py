"""Scripts from the network that a shell runs at once: of a few it is known what they do."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.call import Call, Did, beginning
from nodeworthy.boot.commands.rancher import k3s_installed
from nodeworthy.boot.effects import Act, Effect, Fetches, Gap, Installs, NotUnderstood, Unit
from nodeworthy.boot.text import Text
from nodeworthy.known.installers import Installer, installer_at


def fetched_script(url: Text, call: Call) -> Did:
    """What a fetched script does; the call has only its arguments and its environment."""
    known = installer_at(beginning(url))
    return Did(list(_installed(known, call) if known else _anything(url, call)))


def _anything(url: Text, call: Call) -> Iterator[Effect]:
    yield call.does(Fetches, url=url, runs=True)
    yield call.does(
        NotUnderstood,
        written=url.shown(),
        may_be="it may do anything: nvidia, kubelet, modprobe",
        why="nobody here has read the script that is fetched and run",
        kind=Gap.ANYTHING,
    )


def _installed(known: Installer, call: Call) -> Iterator[Effect]:
    packages = tuple(Text.of(name) for name in known.installs)
    yield call.does(Installs, manager="installer", packages=packages)
    for unit in known.starts:
        for act in (Act.ENABLE, Act.START):
            yield call.does(Unit, unit=Text.of(unit), act=act)
    # RKE2 leaves its units to the user: nothing more happens until one is started.
    if known.joins == "k3s":
        yield from k3s_installed(call)
