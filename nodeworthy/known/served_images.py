"""What the images of GPU pods answer, which of their tags compute on the CPU alone, and how many tokens models take:
`served_images.toml`."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# `2.9.0-cpu-py312`, `cpu-1.7`, and not `cpu-offload-cuda12`.
_FOR_CPUS = pattern(r"(?i)(?:^|[-_.])cpu(?=$|[-_.])")
_FOR_GPUS = pattern(r"(?i)gpu|cuda|cu1\d|rocm")


@dataclass(frozen=True)
class Server:
    name: str
    names: tuple[str, ...]
    words: re.Pattern[str]
    never: frozenset[str]
    should: str
    # It fetches its model and loads it before it answers at all.
    loads: bool
    # The word by which its program becomes the server, and those by which it asks one.
    starts: str
    asks: tuple[str, ...]
    # The folder that it fetches its model into.
    keeps: str
    # Where it listens, and what says otherwise: an option with the number in a group, variables.
    ports: tuple[int, ...]
    option: re.Pattern[str] | None
    says: tuple[str, ...]
    # Variables of its own that kubelet sets, too, in a pod beside a Service of that name.
    linked: tuple[str, ...]
    # The command that makes it of any image, and the names of its images where many are called alike.
    program: re.Pattern[str] | None
    like: re.Pattern[str] | None

    def is_image(self, name: str) -> bool:
        return name in self.names or (self.like is not None and self.like.fullmatch(name) is not None)


@cache
def _servers() -> tuple[Server, ...]:
    rows = table_of("served_images")["server"]
    return tuple(
        Server(
            row["name"],
            tuple(row["names"]),
            re.compile(row["words"]),
            frozenset(row["never"]),
            row["should"],
            row.get("loads", False),
            row.get("starts", ""),
            tuple(row.get("asks", ())),
            row.get("keeps", ""),
            tuple(row.get("ports", ())),
            _compiled(row.get("option")),
            tuple(row.get("says", ())),
            tuple(row.get("linked", ())),
            _compiled(row.get("program")),
            _compiled(row.get("like")),
        )
        for row in rows
    )


def _compiled(written: str | None) -> re.Pattern[str] | None:
    return re.compile(written) if written is not None else None


def server_of(image: str, command: str) -> Server | None:
    """The server that a container is; None where its own command may start another one."""
    name = _name_and_tag(image)[0]
    found = next((each for each in _servers() if each.is_image(name)), None)
    return found if found is not None and (not command.strip() or found.words.search(command)) else None


def server_by_its_command(command: str) -> Server | None:
    """The server that a command starts, whatever image it is in; None where it may start several."""
    found = [each for each in _servers() if each.program is not None and each.program.search(command)]
    return found[0] if len(found) == 1 else None


def is_of(server_name: str, image: str) -> bool:
    """Whether an image is a server's, whatever its container runs."""
    return any(each.name == server_name and _name_and_tag(image)[0] in each.names for each in _servers())


def asking_server(image: str) -> Server | None:
    """The server of an image whose program is its own client, too."""
    name = _name_and_tag(image)[0]
    return next((each for each in _servers() if each.asks and name in each.names), None)


def tokens_of(model: str) -> int | None:
    """For how many tokens a model of the hub has places; None of one that is not known."""
    rows = table_of("served_images")["model"]
    return next((row["tokens"] for row in rows if re.fullmatch(row["names"], model.lower())), None)


def heads_of(model: str) -> int | None:
    """How many attention heads a model of the hub has; None of one that is not known."""
    rows = table_of("served_images")["heads"]
    return next((row["heads"] for row in rows if re.fullmatch(row["names"], model.lower())), None)


def computes_on_the_cpu(image: str) -> str:
    """What to write for an image that does; empty for one that may use GPUs, or is named by its digest alone."""
    name, tag = _name_and_tag(image)
    if (not tag and "@" in image) or "$" in tag or "{" in tag:
        return ""  # what a template fills in is held against nobody
    for row in table_of("served_images")["computes"]:
        if name in row["names"]:
            return "" if re.search(row["gpu"], tag) else str(row["should"])
    is_for_cpus = _FOR_CPUS.search(tag) and not _FOR_GPUS.search(f"{name.rpartition('/')[2]}-{tag}")
    return "the tag that is built for CUDA" if is_for_cpus else ""


def _name_and_tag(image: str) -> tuple[str, str]:
    whole = image.partition("@")[0]
    name, colon, tag = whole.rpartition(":")
    return (name, tag) if colon and "/" not in tag else (whole, "")


def starts_nothing(image: str) -> str | None:
    """What would make it go on, of an image whose own program ends at once; None of any other."""
    name, tag = _name_and_tag(image)
    row = next((each for each in table_of("served_images")["idle"] if name in each["names"]), None)
    is_other = row is None or ("but" in row and re.search(row["but"], tag) is not None)
    return None if is_other or row is None else str(row["should"])
