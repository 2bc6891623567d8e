"""Scripts from the network that a shell runs at once: of a few it is known what they do."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did
from nodeworthy.boot.effects import Fetches, NotUnderstood
from nodeworthy.boot.text import Text


def fetched_script(url: Text, call: Call) -> Did:
    """What a fetched script does; `call` are the arguments and the environment that it is given."""
    text = f"{url.shown()} (it may do anything: nvidia, kubelet, modprobe)"
    return Did(
        [
            call.does(Fetches, url=url, runs=True),
            call.does(NotUnderstood, text=text, why="nobody here has read the script that is fetched and run"),
        ]
    )
