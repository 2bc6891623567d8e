"""A registry cache of the fleet is trusted by every runtime of the node before the first image is pulled.

A cache that speaks plain HTTP has to be told to each runtime that pulls from it. containerd reads
`certs.d/HOST:PORT/hosts.toml` at every pull, if its `config_path` names the folder, which it reads only when it
starts; k3s and RKE2 read `registries.yaml`; Docker reads `insecure-registries` of `/etc/docker/daemon.json`. A file
that is there proves nothing: a wrong folder name, `https://`, a capability that does not exist or a `config_path`
that nobody set, and the pull ends with `http: server gave HTTP response to HTTPS client`. So does the pull of an image
that is named after the cache itself, where it is told as a mirror of another registry alone. k3s and RKE2 read their
list as they start, and leave out an endpoint without a scheme, and pass over what stands under
another key (`endpoints`) or at another depth; Docker does not start with such a mirror, nor with a setting of another
kind (`"max-file": 3`), one that it does not know, or a default runtime that nothing defines. `skip_verify`
concerns certificates, and makes no HTTPS of HTTP. Where the cache speaks HTTPS with a certificate of its own, the file
that `ca` names must be there as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.conditions import who_decides
from nodeworthy.boot.effects import How
from nodeworthy.facts.boot.final_files import files_under, speaking_of
from nodeworthy.facts.boot.flaw import shown_guard
from nodeworthy.facts.boot.runtime import ready, runtime_of, version_of
from nodeworthy.facts.boot.script import BootPool, BootScript, PromisedPool
from nodeworthy.facts.boot.written_text import json_of
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.node.registries import NodeRegistries, trust_of
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.registry.certificates import missing_certificate
from nodeworthy.facts.registry.docker_trust import FILE as DAEMON
from nodeworthy.facts.registry.docker_trust import docker_flaws, knows_it_still, wrong_kind
from nodeworthy.facts.registry.files import cache_flaws, own_flaws
from nodeworthy.facts.registry.hosts_toml import BY_HTTPS, NAME, HostsToml
from nodeworthy.facts.registry.k3s_lists import drafts_without_scheme, list_of, lists_of, read_too_late
from nodeworthy.facts.registry.list_shape import shape_flaws
from nodeworthy.facts.registry.mirrors import mirrors_flaws, registries_flaws
from nodeworthy.facts.registry.trust import Trust
from nodeworthy.fleet.model import Registry
from nodeworthy.known.containerd import Containerd, every_registry_hosts
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Place, Related, Severity, fail, need, skip, unknown

RULE = Rule(
    "registry-trusted",
    severity=Severity.ERROR,
    incident="D",
    title="Every registry cache of the fleet is trusted before the first pull",
    remedy="write certs.d/HOST:PORT/hosts.toml with http:// and set config_path, before the node joins; "
    "for Docker insecure-registries",
)


@RULE.check
def the_fleets_caches_are_trusted(script: BootScript, pool: PromisedPool) -> Findings:
    caches = [each for each in pool.fleet.registries if each.plain_http]
    if not caches:
        skip("the fleet has no registry that speaks plain HTTP")
    runtime = need(pool.pool.runtime)
    for cache in caches:
        host = need(cache.host)
        says = Related(cache.host.place, "the fleet says that every node must trust it")
        flaws = [*_of_containerd(script, pool, runtime, host, cache), *docker_flaws(script.timeline, host)]
        for flaw in flaws:
            yield flaw.with_more(on=pool.title, related=(says,))


def _of_containerd(
    script: BootScript, pool: BootPool, runtime: Containerd, host: str, cache: Registry
) -> Iterator[Draft]:
    if runtime.distribution == "bottlerocket":
        yield from mirrors_flaws(script, host)
        return
    if not runtime.is_containerd or runtime.config is None:
        yield unknown(script.place, f"how {runtime.distribution} is told of {host} is nothing that we can read")
        return
    for moment in ready(script.timeline):
        if runtime.registries is not None:
            yield from registries_flaws(moment, runtime.registries, host, cache.mirrors, script.place)
            continue
        trust = Trust(script.timeline, moment, runtime, version_of(script, pool), host, cache.mirrors)
        yield from _flaws(trust, script.place)


def _flaws(trust: Trust, script: Place) -> Iterator[Draft]:
    by_https = next(filter(None, (each.asks_over_https(trust.host) for each in trust.as_mirror)), None)
    if by_https is not None:
        yield by_https
    if not trust.left.is_there:
        # Beside a config_path it is containerd-config-read that objects to it.
        if not trust.is_an_old_mirror:
            yield _not_there(trust, script)
        return
    for file in trust.files():
        flaw = file.speaks_plainly(trust.host) or file.asks_over_https(trust.host)
        if flaw is not None:
            yield replace(flaw, remedy=flaw.remedy or _remedy(trust))
            return
    if trust.left.is_sure is not True:
        yield _not_on_every_way(trust)
        return
    yield from trust.not_read()
    pull = trust.first_pull()
    if pull is not None:
        written = Related(trust.left.last[-1].place, "it is told of it here")
        says = f"an image of {trust.host} is pulled before containerd knows that this speaks plain HTTP"
        yield fail(pull.place, says, should="told before the first pull", cause=BY_HTTPS, related=(written,))


def _remedy(trust: Trust) -> str:
    host = trust.host
    return (
        f'write `server = "http://{host}"` and `[host."http://{host}"]` with capabilities = ["pull", "resolve"] '
        f"to {trust.folders[0]}/{host}/{NAME}"
    )


def _not_there(trust: Trust, script: Place) -> Draft:
    host, wanted = trust.host, f"{trust.folders[0]}/{trust.host}/{NAME}"
    late = trust.left_at_the_end()
    if late.is_there and trust.ready.join is not None:
        says = f"{host} is told to containerd only after the node has joined"
        joins = Related(trust.ready.join.place, "kubelet pulls its first images from here on")
        return fail(late.last[0].place, says, should="told before the node joins", cause=BY_HTTPS, related=(joins,))
    if trust.misnamed is not None:
        place, is_ = trust.misnamed.place, trust.misnamed.path.shown()
        says = f"the hosts.toml for {host} lies in a folder of another name"
        return fail(place, says, is_=is_, should=wanted, cause=BY_HTTPS, remedy=f"write it to {wanted}")
    elsewhere = [write for name, write in files_under(trust.timeline, every_registry_hosts(), NAME) if name == host]
    if elsewhere and trust.left.last:
        place, written = trust.left.last[0].place, Related(elsewhere[0].place, "it is written here")
        says = f"the hosts.toml for {host} is deleted again"
        return fail(place, says, should=wanted, cause=BY_HTTPS, related=(written,), remedy="delete this line")
    if elsewhere:
        says = f"the hosts.toml for {host} lies where this containerd does not look"
        related = (Related(trust.path.place, "config_path is set here"),) if trust.path.place is not None else ()
        place, is_ = elsewhere[0].place, elsewhere[0].path.shown()
        remedy = f"write it to {wanted}"
        return fail(place, says, is_=is_, should=wanted, cause=BY_HTTPS, remedy=remedy, related=related)
    unsure = (
        trust.left.maybe or trust.timeline.not_understood(host, NAME, "certs.d") or speaking_of(trust.timeline, host)
    )
    if unsure is not None:
        return unknown(unsure.place, f"whether this step tells containerd of {host} is not known")
    if trust.as_mirror:
        place = trust.as_mirror[0].write.place
        says = f"{host} is told to containerd for images of {trust.mirrors} alone, and not by its own name"
        return fail(place, says, should=wanted, cause=BY_HTTPS, is_=f"no {NAME} of its own", remedy=_remedy(trust))
    says = f"nothing tells containerd that {host} speaks plain HTTP"
    return fail(script, says, should=wanted, cause=BY_HTTPS, is_="no hosts.toml", remedy=_remedy(trust))


def _not_on_every_way(trust: Trust) -> Draft:
    write = trust.left.last[0]
    if trust.left.is_sure is None:
        why = who_decides([each.conditions for each in trust.left.last], trust.ready.when)
        says = f"whether {trust.host} is told to containerd on every way is not known"
        return unknown(write.place, f"{says}: {why or 'it depends on too many conditions'}")
    join = trust.ready.join
    related = (Related(join.place, "the node joins either way"),) if join is not None else ()
    verb = "is deleted" if write.how is How.DELETE else "is told to containerd only"
    says = f"{trust.host} {verb} if {shown_guard(write.conditions)}"
    return fail(write.place, says, should="told whenever the node joins", cause=BY_HTTPS, related=related)


@RULE.check
def what_the_files_tell_can_work(files: NodeFiles, pool: BootPool | None) -> Findings:
    if not files.of(NodeFileKind.HOSTS, NodeFileKind.DOCKER, NodeFileKind.REGISTRIES):
        skip("none of them is about a registry")
    told = False
    for flaw in own_flaws(files, files.runtime(pool), files.version(pool)):
        told = True
        yield flaw
    if pool is None and not told and not files.of(NodeFileKind.HOSTS):
        skip("no fleet says which registries must be trusted")
    caches = [each for each in pool.fleet.registries if each.plain_http] if pool is not None else []
    for cache in caches:
        says = Related(cache.host.place, "the fleet says that every node must trust it")
        for flaw in cache_flaws(files, pool, need(cache.host), cache.mirrors):
            yield flaw.with_more(on=pool.title if pool is not None else "", related=(says,))


@RULE.check
def what_the_script_tells_can_work(script: BootScript, pool: BootPool | None) -> Findings:
    files = [HostsToml(name, write) for name, write in files_under(script.timeline, every_registry_hosts(), NAME)]
    theirs = (
        {each.host.state.value for each in pool.fleet.registries if isinstance(each.host.state, Known)}
        if pool
        else set()
    )
    files = [each for each in files if each.folder not in theirs]
    if not files:
        skip("the script writes no hosts.toml" if not theirs else "it writes no hosts.toml but those of the fleet")
    for file in files:
        yield from _own_flaws(script, pool, file)


def _own_flaws(script: BootScript, pool: BootPool | None, file: HostsToml) -> Iterator[Draft]:
    is_stock = script.image is not None and script.image.distribution is not None
    flaw = file.own_flaw() or missing_certificate(script.timeline, file, is_stock=is_stock)
    if flaw is not None:
        yield flaw
        return
    if not file.says_plain_http or "${" in file.folder:
        return
    runtime = runtime_of(script, pool)
    if runtime is None or not runtime.is_containerd or runtime.registries is not None:
        return
    for moment in ready(script.timeline):
        trust = Trust(script.timeline, moment, runtime, version_of(script, pool), file.folder)
        if trust.left.is_there:
            yield from trust.not_read()


@RULE.check
def what_the_script_tells_k3s_can_work(script: BootScript, pool: BootPool | None) -> Findings:
    lists = lists_of(script.timeline)
    if not lists:
        skip("the script tells k3s of no registry")
    said = [each.host.state for each in pool.fleet.registries] if pool is not None else []
    of_the_fleet = [each.value for each in said if isinstance(each, Known)]
    for reader, write in lists.items():
        told = list_of(write)
        if told is not None:
            yield from drafts_without_scheme(told, of_the_fleet)
            yield from shape_flaws(told)
        yield from read_too_late(script.timeline, reader, write)


@RULE.check
def docker_can_start_with_what_it_is_told(script: BootScript, pool: BootPool | None) -> Findings:
    written = script.timeline.writes(DAEMON)
    if not written or (pool is not None and pool.fleet.registries):
        skip("the script writes no daemon.json" if not written else "that is said beside the registries of the fleet")
    reading = json_of(written[-1])
    flaw = wrong_kind(reading) if not reading.unknown and not reading.fault else None
    if flaw is not None and not knows_it_still(flaw, "\n".join(part.text for part in script.userdata.parts)):
        yield flaw


@RULE.check
def containerd_is_told_on_the_node(
    registries: NodeRegistries, runtimes: NodeRuntimes, identity: NodeIdentity
) -> Findings:
    yield from trust_of(registries, runtimes, identity)
