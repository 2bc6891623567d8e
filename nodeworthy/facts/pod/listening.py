"""Where a container's server listens, as far as that is known: of a server that is known, by its options."""

from __future__ import annotations

import re

from nodeworthy.facts.pod.containers import Container
from nodeworthy.known.served_images import Server, server_by_its_command, server_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import value_if_known

# What listens beside it, or in front of it: what it is told to hand its cache or its ranks over by, another program of
# the same command, one in the background.
_OTHERS = pattern(
    r"--kv-|--data-parallel|(?:^|[\s;|])(?:ray|nginx|caddy|socat|uvicorn|gunicorn|envoy|supervisord)\s"
    r"|(?<![&>])&(?![&>\d])"
)
_BY_A_FILE = pattern(r"(?<![\w-])--(?:config|config-file|config_file)\b")
_PORT = pattern(r"\d{1,5}")
_FILLED_IN = pattern(r"[{}$<>]")


@dataclass(frozen=True)
class Listening:
    server: str
    ports: frozenset[int]

    def shown(self) -> str:
        return " and ".join(map(str, sorted(self.ports)))


def server_in(container: Container) -> Server | None:
    """The server that a container is by its image, or by its command in any image."""
    image, command = value_if_known(container.image), " ".join(" ".join(container.words).split())
    by_image = server_of(str(image), command) if image is not None else None
    return by_image or server_by_its_command(command)


def listening(container: Container) -> Listening | None:
    """None where it is no server that is known, or something that is not known may say where it listens."""
    image, command = value_if_known(container.image), " ".join(" ".join(container.words).split())
    server = server_in(container)
    if server is None or not server.ports or _FILLED_IN.search(str(image)) or _may_listen_elsewhere(container, command):
        return None
    said = _ports_told(container, server, command)
    if said is None:
        return None
    return Listening(server.name, frozenset(said or server.ports))


def _may_listen_elsewhere(container: Container, command: str) -> bool:
    has_others = (
        not container.tree.get("envFrom").is_absent or not container.tree.get("lifecycle", "postStart").is_absent
    )
    return has_others or bool(_OTHERS.search(command)) or bool(_BY_A_FILE.search(command))


def _ports_told(container: Container, server: Server, command: str) -> list[int] | None:
    """The ports that it is told, none where nobody says any; None where one is said that is not known."""
    written = server.option.findall(command) if server.option is not None else []
    for name in server.says:
        variable = container.variable(name)
        if variable is not None:
            value = value_if_known(variable)
            if value is None:
                return None
            written.append(str(value))
    numbers = [_number(each) for each in written]
    if None in numbers:
        return None
    told = {each for each in numbers if each}
    # An address without a port leaves it where it was; of several servers in one command nobody says which is which.
    is_one = len(told) <= 1 and (len(server.ports) == 1 or not written)
    return list(filter(None, told)) if is_one else None


def _number(written: str) -> int | None:
    """0 of an address that says none."""
    last = written.strip("\"'").rpartition(":")[2] if ":" in written else written.strip("\"'")
    if _PORT.fullmatch(last):
        return int(last)
    is_address = re.fullmatch(r"\d+(?:\.\d+){3}|localhost|", written.strip("\"'")) is not None
    return 0 if is_address else None


def names_number(container: Container, number: int) -> bool:
    """Whether it says the number anywhere: something may listen there after all."""
    said = pattern(r"(?<!\d)" + str(number) + r"(?!\d)")
    env = container.tree.get("env").sequence
    return any(said.search(each) for each in (*container.words, *(one.get("value").string for one in env)))
