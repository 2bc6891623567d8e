"""The queue's database has a primary and a replica on different nodes, its extension, and its credentials in a secret.

Jobs that wait live in one database. With one server they are lost with its disk; with two on one node, both are away
when that node is drained. That they are kept apart must be required: a preferred anti-affinity is a wish, and gives way
exactly when nodes are short. Two servers of which none follows the other are two queues, and half of the jobs are in
each.

PGMQ is an extension: `CREATE EXTENSION pgmq` needs an image that holds its files, and the plain image of PostgreSQL
does not. Passwords come from a Secret (`secretKeyRef`), not from a program's manifest and not from a ConfigMap, and
nobody gets in without one. One that stands in plain words in a file is `no-secret-in-plain-sight`'s finding, and where
only this rule is asked, that is said and not judged.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_for import QueueAsked, QueueNotPlanned
from nodeworthy.facts.services.database_server import DatabaseServer
from nodeworthy.facts.services.queue_database import QueueDatabase
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "database-replicated",
    severity=Severity.ERROR,
    incident="D",
    title="The queue's database has a primary and a replica on different nodes, its extension and its secret",
    remedy="run a primary and a replica of PostgreSQL with PGMQ, kept apart by a required anti-affinity",
)

LOST = "the jobs that wait are in one place, and are gone with it"
HOST = "kubernetes.io/hostname"
_PLAIN_IMAGE = pattern(
    r"(?:docker\.io/)?(?:library/)?postgres(?:[:@].*)?|ghcr\.io/cloudnative-pg/postgresql(?:[:@].*)?"
)
EXTENSION = "PGMQ's files are in its own image, and CREATE EXTENSION finds none in this one"


def _is_the_queues(database: QueueDatabase, asked: QueueAsked | None) -> None:
    if asked is None and not database.is_for_pgmq:
        skip(f"{database.title} is called a queue, holds no PGMQ, and no fleet asks for one")


@RULE.check
def it_has_a_replica(database: QueueDatabase, asked: QueueAsked | None) -> Findings:
    _is_the_queues(database, asked)
    copies = sum(_whole(each) for each in database.servers)
    first = database.servers[0]
    if copies < 2:
        yield fail(
            first.copies,
            f"the queue's database has no replica: {database.title} is its only server",
            is_=f"{copies} server{'' if copies == 1 else 's'}",
            should="a primary and a replica",
            cause=LOST,
            remedy="set instances: 2" if first.template is None else "add a second server that follows this one",
        )
    elif not any(each.replicates for each in database.servers):
        yield unknown(
            first.copies,
            f"{copies} servers of {database.title} are there, and nothing that was read lets one follow the other",
            remedy="show what replicates: the init scripts that they mount are read where they are in the same folder",
        )


def _whole(server: DatabaseServer) -> int:
    copies = need(server.copies)
    return copies if isinstance(copies, int) else 1


@RULE.check
def they_never_share_a_node(database: QueueDatabase, asked: QueueAsked | None) -> Findings:
    _is_the_queues(database, asked)
    for one, other in _pairs(database):
        if one.apart.keeps(other.labels) or other.apart.keeps(one.labels):
            continue
        hidden = one.apart.hidden or other.apart.hidden
        if hidden:
            yield unknown(one.apart, f"whether {_pair_in_words(one, other)} share a node is not known: {hidden}")
        else:
            yield _may_share(one, other)


def _pairs(database: QueueDatabase) -> Iterator[tuple[DatabaseServer, DatabaseServer]]:
    """Every two that must be apart: a server of several copies from itself, too."""
    yield from ((each, each) for each in database.servers if _whole(each) > 1)
    yield from itertools.combinations(database.servers, 2)


def _pair_in_words(one: DatabaseServer, other: DatabaseServer) -> str:
    return f"the copies of {one.title}" if one is other else f"{one.title} and {other.title}"


def _shared(one: DatabaseServer, other: DatabaseServer) -> str:
    """The first node on which two of their pods run, with these; empty where there is none."""
    on: dict[str, list[str]] = defaultdict(list)
    for pod, node in sorted({**one.runs_on, **other.runs_on}.items()):
        on[node].append(pod)
    met = (
        f"{' and '.join(pods)} on node '{node}'"
        for node, pods in on.items()
        if len(pods) > 1 and (one is other or (set(pods) & set(one.runs_on) and set(pods) & set(other.runs_on)))
    )
    return next(met, "")


def _may_share(one: DatabaseServer, other: DatabaseServer) -> Draft:
    wish = "a preferred anti-affinity, which is a wish" if one.apart.wishes else "nothing that keeps them apart"
    remedy = (
        "set spec.affinity.podAntiAffinityType: required"
        if one.template is None
        else "add a requiredDuringSchedulingIgnoredDuringExecution podAntiAffinity on "
        f"{HOST}, with labels that both have"
    )
    shared = _shared(one, other)
    return fail(
        one.apart,
        f"{_pair_in_words(one, other)} stand on one node"
        if shared
        else f"{_pair_in_words(one, other)} may stand on one node",
        is_=f"{shared}; {wish}" if shared else wish,
        should=f"a required anti-affinity on {HOST}",
        related=[] if one is other else [Related(other.place, f"{other.title} stands here")],
        cause="when that node is drained or dies, primary and replica are away together",
        remedy=remedy,
    )


@RULE.check
def it_has_its_extension(database: QueueDatabase, asked: QueueAsked | None) -> Findings:
    _is_the_queues(database, asked)
    if not database.brings_pgmq:
        yield unknown(
            database,
            f"nothing that was read brings PGMQ into {database.title}",
            remedy="show what does: an image with PGMQ, or the script with CREATE EXTENSION pgmq that it mounts",
        )
    for each in database.servers:
        image = each.image.state
        if not each.creates_extension or not isinstance(image, Known) or not isinstance(image.value, str):
            continue
        if _PLAIN_IMAGE.fullmatch(image.value) and each.document.get("spec", "postgresql", "extensions").is_absent:
            yield fail(
                each.image,
                f"{each.title} creates the extension pgmq, and its image does not hold it",
                should="an image with PGMQ, such as ghcr.io/pgmq/pg17-pgmq:v1.5.1",
                cause=EXTENSION,
            )


@RULE.check
def its_credentials_are_in_a_secret(database: QueueDatabase, asked: QueueAsked | None) -> Findings:
    _is_the_queues(database, asked)
    for variable in database.passwords:
        yield from _password(variable)
    for variable in database.variables:
        if variable.get("name").text == "POSTGRES_HOST_AUTH_METHOD" and variable.get("value").text == "trust":
            yield fail(
                variable.get("value"),
                "whoever reaches the queue's database comes in without a password",
                should="scram-sha-256",
                remedy="remove POSTGRES_HOST_AUTH_METHOD, and give POSTGRES_PASSWORD from a Secret",
            )
    plain = [name for each in database.passwords if (name := each.get("name").text) and _stands_in_a_file(each)]
    if plain:
        skip(f"{' and '.join(plain)}: no-secret-in-plain-sight judges what stands in plain words in a file")
    if not database.passwords and not database.takes_secrets:
        yield unknown(database, f"where {database.title} has its passwords from is not said in what was read")


def _password(variable: Tree) -> Findings:
    name, value = variable.get("name").text, variable.get("value")
    source = variable.get("valueFrom")
    remedy = f"keep it in a Secret, and let {name} refer to it: valueFrom.secretKeyRef"
    if not source.get("configMapKeyRef").is_absent:
        should = "from a Secret (secretKeyRef)"
        yield fail(source, f"{name} comes from a ConfigMap", is_="configMapKeyRef", should=should, remedy=remedy)
    elif _is_given(value) and not _stands_in_a_file(variable):
        yield fail(
            value,
            f"{name} stands in the manifest, where whoever may read the object reads it",
            is_="(secret)",
            should="from a Secret (secretKeyRef)",
            remedy=remedy,
        )


def _is_given(value: Tree) -> bool:
    return not (value.says_nothing or value.text == "")


def _stands_in_a_file(variable: Tree) -> bool:
    """Such a file is looked at as a whole, by the rule for secrets."""
    value = variable.get("value")
    return value.place.path is not None and value.place.urn is None and _is_given(value)


@RULE.check
def what_the_fleet_asks_for_is_planned(missing: QueueNotPlanned) -> Findings:
    if missing.no_business is not None:
        skip(missing.no_business)
    if missing.hidden is not None:
        yield unknown(missing, f"whether this program makes the fleet's queue is not known: {missing.hidden}")
    else:
        yield fail(
            missing,
            "the fleet asks for a queue, and this program makes no database for it",
            should="a primary and a replica of PostgreSQL with PGMQ",
            remedy="add the database to the program, or take queue out of the fleet",
        )
