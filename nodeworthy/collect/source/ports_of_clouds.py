"""Ports that a script opens to everyone by Google's or Azure's own client, of the machines with GPUs that it makes:
`gcloud compute firewall-rules create`, `az vm open-port`, `az network nsg rule create`. Told is what is seen to be of
such a machine: by its network and tags, its name, or its group. What a variable holds on both sides is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from nodeworthy.boot.commands.call import Given, split_options
from nodeworthy.boot.effects import Runs
from nodeworthy.facts.aws.world_ports import OpenedPort
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.cloud_gpus import gpu_of_accelerator, gpus_of_machine, gpus_of_size
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown, Place

_GOOGLES = frozenset(
    "--machine-type --accelerator --tags --network --subnet --network-interface --zone --project --image-family "
    "--image-project --image --boot-disk-size --boot-disk-type --metadata --maintenance-policy --scopes --description "
    "--service-account --provisioning-model --allow --action --rules --source-ranges --source-tags --direction "
    "--target-tags --source-service-accounts --target-service-accounts --priority --format --region --labels".split()
)
_AZURES = frozenset(
    "--resource-group -g --name -n --size --image --nsg --nsg-name --nsg-rule --public-ip-address --port --priority "
    "--access --direction --protocol --source-address-prefixes --source-address-prefix --source-port-ranges "
    "--destination-port-ranges --destination-port-range --destination-address-prefixes --admin-username --location -l "
    "--ssh-key-values --custom-data --vnet-name --subnet --description --os-disk-size-gb --query --output -o".split()
)
_EVERYONE = ("0.0.0.0/0", "::/0", "*", "Internet", "Any")
_TYPE = pattern(r"(?:^|,)type=([\w-]{1,60})")
_WITHOUT_PORTS = ("icmp", "esp", "ah", "sctp", "ipip")


@dataclass(frozen=True)
class _Machine:
    place: Place
    name: str
    given: Given


def opened_ports(script: BootScript) -> Iterator[OpenedPort]:
    try:
        calls = {each.place: each for each in script.timeline.of(Runs)}
    except NotKnown:  # what can't be read of it, other rules tell
        return
    yield from _opened_by_google(list(_calls_of("gcloud", _GOOGLES, calls.values())))
    yield from _opened_by_azure(list(_calls_of("az", _AZURES, calls.values())))


_Calls = Sequence[tuple[Place, Given]]


def _calls_of(client: str, takes: frozenset[str], calls: Iterable[Runs]) -> Iterator[tuple[Place, Given]]:
    for call in calls:
        if call.arguments and call.arguments[0].known == client:
            yield call.place, split_options(call.arguments[1:], takes)


def _asks(given: Given, *words: str) -> bool:
    """Whether this is what it is to do; before it stand `beta` and the like, and options between."""
    said = [each.known for each in given.operands]
    return any(tuple(said[at : at + len(words)]) == words for at in range(3))


def _opened_by_google(calls: _Calls) -> Iterator[OpenedPort]:
    made = [each for each in calls if _asks(each[1], "instances", "create")]
    machines = _by_network([each for place, given in made for each in _googles(place, given)])
    for place, given in calls:
        guarded = _guarded(machines, given)
        if guarded is None or not _asks(given, "firewall-rules", "create") or not _lets_in(given):
            continue
        ports, source = _ports_of_google(given), _as_written(given, "--source-ranges")
        limited = given.has("--source-tags", "--source-service-accounts", "--target-service-accounts")
        is_open = (not source and not limited) or any(each in _EVERYONE for each in source.split(","))
        if ports and (is_open or "$" not in source):
            title = f"firewall rule '{_created(given)}'"
            yield OpenedPort(place, title, ", ".join(ports), source, is_open, guarded.place, guarded.name)


def _googles(place: Place, given: Given) -> Iterator[_Machine]:
    kind, accelerator = _as_written(given, "--machine-type"), _TYPE.search(_as_written(given, "--accelerator"))
    has_gpus = gpus_of_machine(kind) is not None or (accelerator and gpu_of_accelerator(accelerator[1]) is not None)
    is_placed = given.has("--network") or not given.has("--subnet", "--network-interface")
    if has_gpus and is_placed and not given.has("--no-address"):
        yield _Machine(place, f"machine '{_created(given)}'", given)


def _created(given: Given) -> str:
    """The name behind `create`."""
    words = [each.shown() for each in given.operands]
    return next((name for before, name in pairwise(words) if before == "create"), "")


def _by_network(machines: Sequence[_Machine]) -> Mapping[tuple[str, str], _Machine]:
    """The first machine in each network, and in each network of each tag."""
    found: dict[tuple[str, str], _Machine] = {}
    for each in machines:
        for tag in ("", *_as_written(each.given, "--tags").split(",")):
            found.setdefault((_network(each.given), tag), each)
    return found


def _guarded(machines: Mapping[tuple[str, str], _Machine], rule: Given) -> _Machine | None:
    """Without tags a rule is for all of its network."""
    wanted = filter(None, _as_written(rule, _TARGETS).split(",")) if rule.has(_TARGETS) else ("",)
    return next((each for tag in wanted if (each := machines.get((_network(rule), tag))) is not None), None)


def _network(given: Given) -> str:
    return _as_written(given, "--network") or "default"


_TARGETS = "--target-tags"


def _ports_of_google(given: Given) -> list[str]:
    if _as_written(given, "--action").upper() not in ("", "ALLOW"):
        return []
    said = (_as_written(given, "--allow") or _as_written(given, "--rules")).split(",")
    return [each for each in said if each and not each.startswith(_WITHOUT_PORTS)]


def _opened_by_azure(calls: _Calls) -> Iterator[OpenedPort]:
    made = [each for each in calls if _asks(each[1], "vm", "create")]
    machines = [each for place, given in made for each in _azures(place, given)]
    by_name = {_name_of(each): each for each in reversed(machines)}
    by_group = {_group_of(each): each for each in reversed(machines)}
    for place, given in calls:
        named, group = _as_written(given, "--name", "-n"), _as_written(given, "--nsg-name")
        if _asks(given, "vm", "open-port"):
            guarded = by_name.get(named) if named else None
            ports, source, title = _as_written(given, "--port"), "", "az vm open-port"
        elif _asks(given, "network", "nsg", "rule", "create") and _lets_in(given):
            guarded = by_group.get(group) if group else None
            ports = _as_written(given, "--destination-port-ranges", "--destination-port-range") or "80"
            source = _as_written(given, "--source-address-prefixes", "--source-address-prefix")
            title = f"rule '{named}' of {group}"
        else:
            continue
        is_open = source in ("", *_EVERYONE)
        if guarded is not None and (is_open or "$" not in source) and ports:
            yield OpenedPort(place, title, ports, source, is_open, guarded.place, guarded.name)


def _azures(place: Place, given: Given) -> Iterator[_Machine]:
    address = given.value("--public-ip-address")
    if gpus_of_size(_as_written(given, "--size")) is not None and (address is None or address.shown()):
        yield _Machine(place, f"machine '{_as_written(given, '--name', '-n')}'", given)


def _name_of(machine: _Machine) -> str:
    return _as_written(machine.given, "--name", "-n")


def _group_of(machine: _Machine) -> str:
    """The group that it is given, or the one that the client makes for it."""
    return _as_written(machine.given, "--nsg") or f"{_name_of(machine)}NSG"


def _lets_in(given: Given) -> bool:
    """Which both clients do where they are told nothing."""
    access, direction = _as_written(given, "--access"), _as_written(given, "--direction")
    return access.lower() in ("", "allow") and direction.lower() in ("", "inbound", "ingress", "in")


def _as_written(given: Given, *names: str) -> str:
    said = given.value(*names)
    return said.shown().strip("'\"") if said is not None else ""
