"""A fresh node for a person: booted with a boot script, there until it is switched off or whoever started it leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node


def stay_up(image: str, user_data: bytes, hostname: str, tell: Callable[[str], None]) -> None:
    with Node(layers(image), user_data, hostname) as node:
        while True:
            node.boot()
            if not node.rebooted:
                _pid_file(node).write_text(f"{node.pid()}\n")
                tell(_how_to_reach(node))
                node.wait()
                node.end()
            if not node.rebooted:
                return
            tell(f"{hostname} boots again")


def _pid_file(node: Node) -> Path:
    """The file with the node's first process, which is another one after a reboot."""
    return node.folder / "pid"


def _how_to_reach(node: Node) -> str:
    return "\n".join(
        (
            f"{node.hostname} is up. From another terminal, as root:",
            f"  nodeworthy node nsenter://{_pid_file(node)}",
            f"  nsenter --target {node.pid()} --all",
            f"Its disk, as far as it differs: {node.upper}",
            "It has no network. Ctrl-C takes it down, and leaves nothing.",
        )
    )
