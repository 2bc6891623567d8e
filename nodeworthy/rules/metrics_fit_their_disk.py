"""The metrics that are promised fit the disk that they are kept on, and the GPUs' exporter is scraped.

Prometheus keeps what it measured for a time (`retention`) and, if it is told, up to a size (`retentionSize`). Its
write-ahead log and the blocks that it is compacting come on top of that size, so that it should be at most 85 % of the
volume: a disk that runs full stops Prometheus. A time alone is enough where the volume may hold it, and how much
fifteen days come to depends on what is measured; but more than ten days in each GiB are too many for the smallest
cluster. Without a volume everything is gone with the pod, whatever the retention says: of a Prometheus in a Deployment
of one's own its arguments say it (`--storage.tsdb.retention.time`). A time without
its unit (`30`, `1month`) and a size without its B (`45Gi`) are none: the schema of a Prometheus takes `30d` and `45GB`.

kube-prometheus-stack scrapes only ServiceMonitors that carry its own release's label, unless it is told otherwise; the
one of the operator's DCGM exporter is off by default, and has no such label. What a fleet says of both is compared.
An endpoint that a dash too many splits in two is scraped in another way than anybody meant; a ServiceMonitor of `v1` or
another group than that of Prometheus' operator is refused. What stands at another
depth of the chart's values than its templates read (`additionalServiceMonitors` beside `prometheus`, `retention` in it)
has no effect, and Helm says nothing.
"""

from __future__ import annotations

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_for import MonitoringAsked, MonitoringNotPlanned
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.services.monitoring_stack import (
    DAY,
    SERVED,
    MisplacedMonitor,
    MonitoringStack,
    Scraping,
    SplitEndpoint,
    fitting,
    is_time,
    room_of,
    seconds,
    size,
)
from nodeworthy.facts.services.prometheus_by_hand import HandmadePrometheus
from nodeworthy.known.monitoring import DAYS_IN_A_GIB, TOO_MUCH
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "metrics-fit-their-disk",
    severity=Severity.WARNING,
    incident="D",
    title="Metrics fit the disk that they are kept on, and the GPUs' exporter is scraped",
    remedy="give Prometheus a volume, and a retentionSize of at most 85 % of it",
)

FULL = "a volume that runs full stops Prometheus, and with it every alert"
GIB = 1 << 30
UNSEEN = "nobody sees what the GPUs do: dashboards stay empty, and idle or failing GPUs are not noticed"
_AS_SAID = ": Invalid value), and none runs as this says"
OFF = "prometheus.enabled is false"


@RULE.check
def it_is_kept_on_a_volume(stack: MonitoringStack, asked: MonitoringAsked | None) -> Findings:
    if stack.is_off:
        skip(OFF)
    if need(stack.has_volume) or not (stack.promises_of_its_own or asked is not None):
        return
    kept = asked.retention if asked is not None and not stack.promises else stack.retention.shown()
    yield fail(
        stack.has_volume,
        f"Prometheus promises metrics of {kept} and keeps them on no volume",
        is_="an emptyDir, which goes with the pod",
        should="a volumeClaimTemplate",
        related=[asked.says(f"retention {asked.retention}, volume {asked.volume}")] if asked is not None else [],
        cause="when the pod moves, or its node is replaced, every metric before that is gone",
        remedy=f"add a volumeClaimTemplate with resources.requests.storage to {stack.storage.place.subject}",
    )


@RULE.check
def it_says_a_time_and_a_size(stack: MonitoringStack) -> Findings:
    """Time and size as the schema of a Prometheus takes them."""
    if stack.is_off:
        skip(OFF)
    kept, bound = stack.retention, stack.retention_size
    # The chart leaves out what is nothing or 0.
    if isinstance(kept.state, Known) and kept.state.value and not is_time(kept.state.value):
        yield fail(
            kept,
            "how long metrics are kept is no time",
            should="a whole number with its unit: 30d, 2w, 12h",
            cause=f"the API server refuses the Prometheus (spec.retention{_AS_SAID}",
            remedy="write a number and one of y, w, d, h, m, s: retention: 30d",
        )
    if isinstance(bound.state, Known) and bound.state.value and size(bound.state.value) is None:
        yield fail(
            bound,
            "retentionSize is no size",
            should="a size such as 42GB",
            cause=f"the API server refuses the Prometheus (spec.retentionSize{_AS_SAID}",
            remedy="write a number and B with what it counts: 42GB, 42GiB",
        )


@RULE.check
def its_size_is_bounded_by_the_volume(stack: MonitoringStack) -> Findings:
    if stack.is_off:
        skip(OFF)
    if not need(stack.has_volume):
        return
    room = room_of(need(stack.volume))
    if room is None:
        says = stack.volume.shown() if stack.volume.written else "no size"
        yield fail(stack.volume, "the volume of Prometheus has no size", is_=says, should="a quantity such as 50Gi")
    elif need(stack.retention_size) is None:
        yield from _unbounded(stack, room)
    else:
        yield from _too_large(stack, room)


def _unbounded(stack: MonitoringStack, room: int) -> Findings:
    """How much a day comes to, nobody here knows; only what no cluster is small enough for is told."""
    kept = seconds(need(stack.retention))
    if kept is None or kept / DAY <= DAYS_IN_A_GIB * room / GIB:
        return
    yield fail(
        stack.retention if stack.promises else stack.volume,
        f"what Prometheus measures in {stack.retention.shown()} does not fit its volume of {stack.volume.shown()}",
        is_=f"{stack.retention.shown()} in {stack.volume.shown()}, and no retentionSize",
        should=f"a larger volume, a shorter retention, or a retentionSize of at most {fitting(room)}",
        related=[Related(stack.volume.place, f"its volume has {stack.volume.shown()}")],
        cause=FULL,
        remedy=f"set retentionSize: {fitting(room)} beside the retention, or give it a larger volume",
    )


def _too_large(stack: MonitoringStack, room: int) -> Findings:
    bound = size(need(stack.retention_size))
    if bound is not None and bound * 100 > room * TOO_MUCH:
        yield fail(
            stack.retention_size,
            "retentionSize leaves no room on the volume for what Prometheus writes besides",
            should=f"at most {fitting(room)}, 85 % of the volume",
            related=[Related(stack.volume.place, f"its volume has {stack.volume.shown()}")],
            cause=FULL,
            remedy=f"set retentionSize: {fitting(room)}, or give it a larger volume",
        )


@RULE.check
def one_without_an_operator_is_kept(kept: HandmadePrometheus) -> Findings:
    """Metrics of a day or less serve the present alone and need no volume; what a template fills in is not judged."""
    days = seconds(kept.time.value) if kept.time is not None else None
    if kept.time is not None and days is not None and days > DAY and kept.is_on_no_volume:
        yield fail(
            kept.time.place,
            f"Prometheus of {kept.title} promises metrics of {kept.time.value} and keeps them on no volume",
            is_="an emptyDir" if not kept.volume.is_absent else "what its container is written into",
            should="a PersistentVolumeClaim where it keeps them",
            related=[Related(kept.volume.place, "this goes with the pod")] if not kept.volume.is_absent else [],
            cause="when the pod moves, or its node is replaced, every metric before that is gone",
            remedy="mount a PersistentVolumeClaim at its --storage.tsdb.path (/prometheus)",
        )
    room = room_of(kept.claimed.get("spec", "resources", "requests", "storage").string)
    bound = size(kept.size.value) if kept.size is not None else None
    if kept.size is not None and room is not None and bound is not None and bound * 100 > room * TOO_MUCH:
        yield fail(
            kept.size.place,
            "retention.size leaves no room on the volume for what Prometheus writes besides",
            is_=kept.size.value,
            should=f"at most {fitting(room)}, 85 % of the volume",
            related=[Related(kept.claimed.place, "this is its volume")],
            cause=FULL,
            remedy=f"set --storage.tsdb.retention.size={fitting(room)}, or give it a larger volume",
        )


@RULE.check
def it_is_what_the_fleet_asks_for(stack: MonitoringStack, asked: MonitoringAsked) -> Findings:
    if stack.is_off:
        skip(OFF)
    if seconds(need(stack.retention)) != seconds(asked.retention):
        yield fail(
            stack.retention,
            "metrics are kept for another time than the fleet says",
            should=asked.retention,
            related=[asked.says(f"retention: {asked.retention}")],
            remedy=f"set retention: {asked.retention}, or say in the fleet what is meant",
        )
    if not need(stack.has_volume):
        return
    room = room_of(need(stack.volume))
    if room is not None and room != room_of(asked.volume):
        yield fail(
            stack.volume,
            "the volume of Prometheus has another size than the fleet says",
            should=asked.volume,
            related=[asked.says(f"volume: {asked.volume}")],
            remedy=f"ask for {asked.volume}, or say in the fleet what is meant",
        )


@RULE.check
def the_chart_reads_its_settings(stack: MonitoringStack) -> Findings:
    if not stack.is_chart:
        skip("the operator's own resource has no chart around it")
    if stack.is_off:
        skip(OFF)
    for tree, path, right in stack.unread:
        yield _unread(tree, path, right)


def _unread(tree: Tree, path: tuple[str, ...], right: tuple[str, ...]) -> Draft:
    name, stands = path[-1], ".".join(path[:-1]) or "the top of the values"
    lost = "what it lists is not scraped" if name.startswith("additional") else "the chart keeps its default"
    return fail(
        tree.heading,
        f"kube-prometheus-stack reads no {name} at {stands}",
        is_=".".join(path),
        should=".".join(right),
        cause=f"the chart's templates look there for nothing of this name, and Helm says nothing: {lost}",
        remedy=f"{_moved(path, right)}; `helm template` shows what comes of it",
    )


def _moved(path: tuple[str, ...], right: tuple[str, ...]) -> str:
    return f"call it {right[-1]}" if path[:-1] == right[:-1] else f"move it below {'.'.join(right[:-1])}"


@RULE.check
def the_exporter_is_scraped(scraping: Scraping, values: OperatorValues) -> Findings:
    near = scraping.beside(values.place)
    if near is None:
        skip("no Prometheus stands in one file or folder with these settings, so that they may be of two clusters")
    exporter = values.tree.get("dcgmExporter")
    if exporter.get("enabled").value is False:
        skip("the operator's DCGM exporter is off")
    if any(each.is_off or each.scrapes_in_other_ways for each in near.stacks):
        skip("what is scraped by other means than ServiceMonitors is not looked into")
    monitor = exporter.get("serviceMonitor")
    need(settle(monitor))
    enabled = settle(monitor.get("enabled"))
    if monitor.get("enabled").is_absent and values.elsewhere is not None:
        yield unknown(enabled, f"whether the exporter has a ServiceMonitor is not known: {values.elsewhere}")
    elif need(enabled) is not True:
        if scraping.has_monitor:
            skip("other settings here turn the exporter's ServiceMonitor on")
        yield from _by_others(enabled, near)
    else:
        additional = monitor.get("additionalLabels")
        labels = {name: str(tree.value) for name, tree in additional.mapping.items()}
        wanted = need(near.wants_besides(labels))
        if wanted and not _is_taken(scraping):
            for each in (additional, *map(additional.get, wanted)):
                need(settle(each))
            yield _not_chosen(enabled, labels, wanted, near)


def _by_others(enabled: Located[bool], scraping: Scraping) -> Findings:
    """A ServiceMonitor of somebody else's may choose the exporter; in a cluster, that is seen."""
    if scraping.unseen is not None:
        why = f"whether another ServiceMonitor chooses the DCGM exporter is not known: {scraping.unseen}"
        if not scraping.was_looked_for:
            skip(why)
        yield unknown(enabled.place, why)
        return
    if _is_taken(scraping):
        return
    if not scraping.monitored_by:
        yield _without_monitor(enabled, scraping)
        return
    labels = dict(scraping.monitored_by[0])
    wanted = need(scraping.wants_besides(labels))
    found = _not_chosen(enabled, labels, wanted or {}, scraping)
    yield replace(found, remedy=f"put the label {found.should} on that ServiceMonitor")


@RULE.check
def a_monitor_of_the_exporter_is_chosen(scraping: Scraping, operator: OperatorValues | None) -> Findings:
    """The exporter may come by a chart of its own, and its ServiceMonitor with it."""
    if operator is not None:
        skip("the operator brings the exporter: its settings are asked")
    if not scraping.monitored_by or any(each.is_off or each.scrapes_in_other_ways for each in scraping.stacks):
        skip("no ServiceMonitor of a DCGM exporter was seen, or it is scraped by other means")
    if _is_taken(scraping):
        return
    labels = dict(scraping.monitored_by[0])
    wanted = need(scraping.wants_besides(labels)) or {}
    shown = _labels_in_words(wanted)
    yield fail(
        scraping.stacks[0].chosen_by,
        "this Prometheus does not choose the ServiceMonitor of the DCGM exporter",
        is_=_labels_in_words(labels) or "a ServiceMonitor without labels",
        should=shown,
        cause=UNSEEN,
        remedy=f"put the label {shown} on that ServiceMonitor (serviceMonitor.additionalLabels of the exporter's "
        "chart), or let it choose all: prometheus.prometheusSpec.serviceMonitorSelectorNilUsesHelmValues: false",
    )


def _is_taken(scraping: Scraping) -> bool:
    """Whether a Prometheus takes one of the ServiceMonitors that were seen to choose an exporter."""
    asked = (scraping.wants_besides(labels).state for labels in scraping.monitored_by)
    return any(not isinstance(each, Unknown) and each.value is None for each in asked)


def _without_monitor(enabled: Located[bool], scraping: Scraping) -> Draft:
    return fail(
        enabled,
        "nobody scrapes the DCGM exporter: the operator brings no ServiceMonitor for it",
        is_=enabled.shown() if enabled.written else "not set, which is false",
        should="true",
        related=[Related(each.place, "this Prometheus is there to scrape it") for each in scraping.stacks],
        cause=UNSEEN,
        remedy="set dcgmExporter.serviceMonitor.enabled: true",
    )


def _not_chosen(enabled: Located[bool], labels: dict[str, str], wanted: dict[str, str], scraping: Scraping) -> Draft:
    shown = _labels_in_words(wanted) or "no label at all, for it chooses none"
    return fail(
        enabled,
        "the DCGM exporter's ServiceMonitor lacks the label by which Prometheus chooses what it scrapes",
        is_=_labels_in_words(labels) or "no additionalLabels",
        should=shown,
        related=[Related(scraping.stacks[0].chosen_by.place, f"it scrapes only ServiceMonitors with {shown}")],
        cause=UNSEEN,
        remedy="set prometheus.prometheusSpec.serviceMonitorSelectorNilUsesHelmValues: false, or put the label "
        f"{shown} into dcgmExporter.serviceMonitor.additionalLabels",
    )


def _labels_in_words(labels: dict[str, str]) -> str:
    return ", ".join(f"{name}: {value or '<its name>'}" for name, value in labels.items())


@RULE.check
def an_endpoint_is_one(endpoint: SplitEndpoint) -> Findings:
    port = next(tree for name, tree in endpoint.port.mapping.items() if "ort" in name)
    yield fail(
        endpoint,
        f"a dash too many splits an endpoint of the {endpoint.kind} in two: {endpoint.says} is one of its own, "
        "which has no port",
        is_=f"- {endpoint.says}: …",
        should=f"{endpoint.says}: …, in the entry above",
        related=[Related(endpoint.port.place, f"the port stands here: {port.value}")],
        cause="by the first entry Prometheus scrapes this port as if nothing were said, by the second one every port",
        remedy=f"take the dash before {endpoint.says} away, so that it stands below the port",
    )


@RULE.check
def what_the_fleet_asks_for_is_planned(missing: MonitoringNotPlanned) -> Findings:
    if missing.no_business is not None:
        skip(missing.no_business)
    if missing.hidden is not None:
        yield unknown(missing, f"whether this program installs the fleet's monitoring is not known: {missing.hidden}")
    else:
        yield fail(
            missing,
            "the fleet asks for monitoring, and this program installs no Prometheus",
            should="a release of kube-prometheus-stack",
            cause=UNSEEN,
            remedy="install kube-prometheus-stack, or take monitoring out of the fleet",
        )


@RULE.check
def a_monitor_is_served(monitor: MisplacedMonitor) -> Findings:
    titled = f"{monitor.kind}{f' {monitor.name!r}' if monitor.name else ''}"
    yield fail(
        monitor,
        f"the API server refuses this: {titled} is asked for of {monitor.version.text}, where nothing serves one",
        is_=monitor.version.string,
        should=f"apiVersion: {SERVED}",
        cause=f'no matches for kind "{monitor.kind}" in version "{monitor.version.text}": what it names is not scraped',
        remedy=f"write apiVersion: {SERVED}",
    )
