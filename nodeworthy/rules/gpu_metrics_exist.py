"""Alerts, dashboards and autoscalers ask for GPU metrics that exist, in their own units.

NVIDIA's exporter calls each metric by DCGM's name of the field. A name that DCGM has not
(`DCGM_FI_DEV_GPU_UTILIZATION` for `DCGM_FI_DEV_GPU_UTIL`, `DCGM_FI_DEV_XID` for `DCGM_FI_DEV_XID_ERRORS`) is no error
to Prometheus: the panel stays empty, the alert never fires, the autoscaler never scales, and nobody is told. In the
exporter's own list it is one: the exporter ends. So it does over a line that has not three fields, for a comma in its
help, or a type that Prometheus has not.

Nor is a number of another unit. Utilisation is a number up to 100, what is profiled (`DCGM_FI_PROF_…_ACTIVE`) one up
to 1, and memory is counted in MiB: an alert on `DCGM_FI_PROF_GR_ENGINE_ACTIVE > 90` never fires.

Nor does an exporter measure that ends at its start: over an option that it does not have, or where `--collectors`,
which is the path of its list, is given the names of fields.

Nor is a resource that pods ask for measured: of those the metrics API knows cpu and memory. An autoscaler that goes by
`nvidia.com/gpu` as a resource (`type: Resource`) never learns how busy a GPU is; DCGM's metrics it has by Prometheus'
adapter or by KEDA.

Servers of models count, too, and call their metrics in their own way: vLLM's begin with `vllm:`, and by
`vllm_num_requests_waiting` Prometheus finds none, unless somebody makes it: a collector of OpenTelemetry's writes an
underscore for the colon, and a program of the repository may count under that name. How full its cache is, is a share
of 1.

Whether a metric that exists is in the list of this exporter is not asked: the list may be anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from csv import reader

from nodeworthy.facts.services.exporter_options import RefusedExporterOption
from nodeworthy.facts.services.gpu_queries import CollectedGpuMetric, Compared, GpuQuery
from nodeworthy.facts.services.gpu_scaling import GpuScaling
from nodeworthy.facts.services.server_queries import ServerQuery
from nodeworthy.known.dcgm_fields import field_meant, is_field
from nodeworthy.known.server_metrics import metrics_of_servers
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail

RULE = Rule(
    "gpu-metrics-exist",
    severity=Severity.ERROR,
    title="Alerts and dashboards ask for GPU metrics that exist, in their own units",
    remedy="`curl -s NODE:9400/metrics | grep -o '^DCGM_FI[A-Z0-9_]*' | sort -u` shows the names",
    never_unknown="a query that is not known yet is no query of GPU metrics",
)

_RATIO = pattern(r"DCGM_FI_PROF_(?:(?:GR_ENGINE|SM|DRAM|PIPE_(?:TENSOR|FP64|FP32|FP16))_ACTIVE|SM_OCCUPANCY)")
_PERCENT = pattern(r"DCGM_FI_DEV_(?:GPU|MEM_COPY|ENC|DEC)_UTIL")
_MEBIBYTES = pattern(r"DCGM_FI_DEV_FB_(?:USED|FREE|TOTAL|RESERVED)")
# No GPU has ten tebibytes.
_TOO_MANY = 10 * 1024 * 1024
_ALL = 100
_LONGEST = 4000
_FIELDS, _KINDS = 3, ("gauge", "counter", "histogram", "summary", "label")
# What gives metrics of such names to whoever asks: a program that counts by them; a rule or an adapter that calls them
# so, and a collector that knows no colon.
_COUNTED = pattern(rb"[\"'`]vllm_[a-z]", words=(b"vllm_",))
_PROGRAMS = (".cc", ".cpp", ".cs", ".go", ".java", ".js", ".py", ".rb", ".rs", ".ts")
_CALLED_SO = pattern(
    rb"\b(?:as|record|replacement|target_label)\"?:[ \t]*[\"']?vllm_[a-z]|(?i:opentelemetry|\botel|\badot\b)"
)
_SETTINGS = (".alloy", ".json", ".tf", ".yaml", ".yml")
_MOST_RELATED = 10
_ENDS = (
    "the exporter ends over one such line, or (before 4) takes its own list instead, and what is meant is not measured"
)


@RULE.check
def it_names_metrics_that_are_there(query: GpuQuery) -> Findings:
    for name in query.names:
        if not is_field(name):
            yield fail(
                query.place,
                f"there is no metric {name}",
                is_=name,
                should=field_meant(name) or "a field that DCGM has",
                cause="NVIDIA's exporter calls its metrics by DCGM's fields: by this name Prometheus finds nothing, "
                "and tells nobody",
                severity=Severity.WARNING,
            )


@RULE.check
def it_asks_in_their_units(query: GpuQuery) -> Findings:
    if query.compared is not None:
        yield from _of_unit(query, query.compared)


@RULE.check
def it_calls_a_servers_metrics_as_it_does(query: ServerQuery, every: Sequence[ServerQuery]) -> Findings:
    """Of a dashboard or a list of rules the first is told, and the others with it."""
    beside = [each for each in every if each.place.path == query.place.path and _called_otherwise(each)]
    if beside and beside[0] is query and not _may_be_made_here(query):
        name, meant, server = _called_otherwise(query)[0]
        yield fail(
            query.place,
            f"there is no metric {name}: {server} calls it {meant}",
            is_=name,
            should=meant,
            related=[
                Related(each.place, f"so is {_called_otherwise(each)[0][0]}") for each in beside[1 : _MOST_RELATED + 1]
            ],
            cause=f"{server}'s metrics begin with {meant.partition(':')[0]} and a colon: by this name Prometheus finds "
            "nothing, and tells nobody",
            remedy=f"write {meant}: `curl -s SERVER:8000/metrics | grep -o '^vllm:[a-z0-9_]*' | sort -u` shows them",
            severity=Severity.WARNING,
        )


def _called_otherwise(query: ServerQuery) -> list[tuple[str, str, str]]:
    found = ((name, each.meant_by(name), each.server) for name in query.names for each in metrics_of_servers())
    return [each for each in found if each[1]]


def _may_be_made_here(query: ServerQuery) -> bool:
    around = query.surroundings
    if around is None:
        return False
    held = (*around.holding(_COUNTED, _PROGRAMS), *around.holding(_CALLED_SO, _SETTINGS))
    return bool(held)


@RULE.check
def it_asks_of_a_server_in_its_units(query: ServerQuery) -> Findings:
    asked = query.compared
    if asked is None or asked.number <= 1:
        return
    if any(each.is_a_share(asked.name) for each in metrics_of_servers()):
        yield _other_unit(query, asked, "is a share of at most 1", asked.number / _ALL)


@RULE.check
def the_exporter_knows_it(collected: CollectedGpuMetric) -> Findings:
    if not is_field(collected.name):
        yield fail(
            collected.place,
            f"the exporter ends: DCGM has no field {collected.name}",
            is_=collected.name,
            should=field_meant(collected.name) or "a field that DCGM has, or no such line",
            cause="could not find DCGM field: the exporter reads its list first of all, and nobody measures the GPUs",
        )


@RULE.check
def it_scales_by_what_is_measured(scaling: GpuScaling) -> Findings:
    ends = "it never scales" if scaling.is_alone else "it scales up by its other metrics alone, and never down"
    yield fail(
        scaling.place,
        f"{scaling.title} scales by {scaling.resource}, which nobody measures",
        is_=f"a metric of type Resource, of {scaling.resource}",
        should="one of type Pods or External: DCGM_FI_DEV_GPU_UTIL, by Prometheus' adapter or by KEDA",
        cause=f"the metrics API knows cpu and memory of a pod, and nothing else (FailedGetResourceMetric): {ends}",
        remedy="`kubectl describe hpa` shows what it is not given; scale by DCGM's metrics, or by what the server "
        "counts itself (its queue)",
    )


@RULE.check
def its_line_has_the_exporters_form(collected: CollectedGpuMetric) -> Findings:
    fields = next(reader([collected.row[:_LONGEST]]), [])
    kind = fields[1].strip() if len(fields) > 1 else ""
    if len(fields) != _FIELDS:
        is_split = len(fields) > _FIELDS
        yield fail(
            collected.place,
            f"the line of {collected.name} has {len(fields)} fields, and the exporter reads {_FIELDS}",
            is_=collected.row,
            should="NAME, type, help: commas within the help in double quotes, right behind the comma before",
            cause=f"wrong number of fields: {_ENDS}",
            remedy="put the help in double quotes, or take its commas out" if is_split else "write what is left out",
        )
    elif kind not in _KINDS:
        yield fail(
            collected.place,
            f"the line of {collected.name} is of a type that the exporter does not know",
            is_=kind,
            should=" or ".join(_KINDS),
            cause=f"could not find Prometheus metric type: {_ENDS}",
            remedy="write one of them: gauge for what goes up and down, counter for what only grows, label for a text",
        )


@RULE.check
def the_exporter_takes_it(option: RefusedExporterOption) -> Findings:
    if option.is_a_list_of_names:
        yield fail(
            option.place,
            "the exporter ends: its list is the path of a file, and these are names of fields",
            is_=option.written,
            should="a path, as /etc/dcgm-exporter/dcp-metrics-included.csv",
            cause="it can't open a file of this name, and nobody measures the GPUs",
            remedy="write the names into a file, a line each (NAME, gauge, help), and give its path",
        )
    else:
        yield fail(
            option.place,
            f"the exporter ends: it has no option {option.written.partition('=')[0]}",
            is_=option.written,
            should="an option that it has: dcgm-exporter --help lists them",
            cause="flag provided but not defined: it ends at its start, and nobody measures the GPUs",
            remedy="take it away, or name the option that was meant",
        )


def _of_unit(query: GpuQuery, asked: Compared) -> Findings:
    name, number = asked.name, asked.number
    if _RATIO.fullmatch(name) and number > 1:
        yield _other_unit(query, asked, "is a share of at most 1", number / _ALL)
    elif _PERCENT.fullmatch(name) and 0 < number < 1:
        yield _other_unit(query, asked, "is a whole number up to 100", number * _ALL)
    elif _MEBIBYTES.fullmatch(name) and number >= _TOO_MANY:
        yield _other_unit(query, asked, "is counted in MiB", number // 1024**2)


def _other_unit(query: GpuQuery | ServerQuery, asked: Compared, unit: str, number: float) -> Draft:
    return fail(
        query.place,
        f"{asked.name} {unit}, and is compared with {asked.number:g}",
        is_=asked.written,
        should=f"{asked.name} {asked.how} {number:g}",
        cause="the comparison comes out the same whatever the GPU does: what waits for it never happens, or always",
        remedy="write the number in the metric's unit",
        severity=Severity.WARNING,
    )
