"""The database of a job queue: the servers of one namespace that hold PGMQ, or that are called so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.services.database_server import DatabaseServer, InitText, server_of_template
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

_PASSWORD = pattern(r"PASSWORD$|PASSWD$|PGPASS$")


@dataclass(frozen=True, eq=False)
class QueueDatabase:
    called: ClassVar[str] = "a job queue's database"
    whole_stack: ClassVar[bool] = True

    servers: tuple[DatabaseServer, ...]

    @property
    def place(self) -> Place:
        return self.servers[0].place

    @property
    def title(self) -> str:
        return " and ".join(each.title for each in self.servers)

    @cached_property
    def is_for_pgmq(self) -> bool:
        return any(each.speaks_of_pgmq for each in self.servers)

    @cached_property
    def brings_pgmq(self) -> bool:
        return any(each.brings_pgmq for each in self.servers)

    @cached_property
    def variables(self) -> tuple[Tree, ...]:
        """What the environment of their containers says."""
        templates = [each.template for each in self.servers if each.template is not None]
        containers = [container for template in templates for container in template.containers]
        return tuple(entry for each in containers for entry in each.tree.get("env").sequence)

    @cached_property
    def passwords(self) -> tuple[Tree, ...]:
        """The variables that are named as passwords."""
        return tuple(each for each in self.variables if _PASSWORD.search(each.get("name").string))

    @cached_property
    def takes_secrets(self) -> bool:
        """Whether anything in it refers to a Secret; CloudNativePG makes one where nobody names one."""
        return any(each.template is None or _refers(each.document) for each in self.servers)


def _refers(tree: Tree) -> bool:
    kinds = ("secretKeyRef", "secretRef", "secretName", "secret")
    if any(not tree.get(name).is_absent for name in kinds if tree.is_mapping):
        return True
    return any(_refers(child) for child in (*tree.sequence, *tree.mapping.values()))


@derive
def queue_databases(
    servers: Sequence[DatabaseServer],
    pods: Sequence[PodTemplate] = (),
    init_texts: Sequence[InitText] | None = None,
) -> Iterator[QueueDatabase]:
    """The queue databases among the facts of one scene: what lies in another folder belongs to another environment."""
    found = [*servers, *filter(None, map(server_of_template, pods))]
    together: dict[tuple[str, str], list[DatabaseServer]] = defaultdict(list)
    for server in found:
        whole = _with_its_scripts(server, init_texts or ())
        if whole.speaks_of_pgmq or whole.is_called_queue:
            together[_belongs(server.namespace, server.place)].append(whole)
    for each in together.values():
        yield QueueDatabase(tuple(each))


def _belongs(namespace: str, place: Place) -> tuple[str, str]:
    return namespace, "" if place.urn else str(PurePosixPath(place.file).parent)


def _with_its_scripts(server: DatabaseServer, texts: Sequence[InitText]) -> DatabaseServer:
    mounted = set(server.mounted)
    near = _belongs(server.namespace, server.place)
    own = [each.text for each in texts if each.name in mounted and _belongs(each.namespace, each.place) == near]
    return replace(server, scripts="\n".join(own)) if own else server
