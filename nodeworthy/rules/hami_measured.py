"""HAMi's metrics are exposed, and somebody scrapes them.

Its scheduler says what was promised of each GPU, the monitor beside its device plugin what containers really use. Both
stand behind services of the chart, and a Prometheus sees them only where a ServiceMonitor chooses these services (and
has the labels that the Prometheus asks for), or where it reads the annotation `prometheus.io/scrape`. The chart makes
its ServiceMonitors only with `prometheus.enabled: true`. In a cluster without a Prometheus the rule is skipped.
"""

from __future__ import annotations

from nodeworthy.facts.hami.metrics import HamiMetrics, MetricsSource
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Place, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "hami-measured",
    severity=Severity.WARNING,
    incident="C",
    title="HAMi's metrics are exposed, and somebody scrapes them",
    remedy="set prometheus.enabled: true in HAMi's values, or add a ServiceMonitor for its services",
)

_UNSEEN = "what shares hold and what containers use of them is measured, and nobody sees it"


@RULE.check
def its_metrics_are_scraped(metrics: HamiMetrics) -> Findings:
    if metrics.scraping is None and metrics.unseen is None:
        skip("the cluster has no Prometheus")
    if metrics.unseen is not None:
        yield unknown(metrics, f"whether HAMi's metrics are scraped is not known: {metrics.unseen}")
        return
    for source in metrics.sources:
        yield from _source(source, metrics)


def _source(source: MetricsSource, metrics: HamiMetrics) -> Findings:
    if source.service is None:
        yield fail(
            metrics,
            f"no service exposes the metrics of HAMi's {source.role}",
            is_="no service with its metrics port",
            should="the chart's own service",
            cause=_UNSEEN,
            remedy="helm upgrade HAMi, which makes the service",
        )
        return
    where = Place(object=f"Service/{source.name}")
    scraping = metrics.scraping
    if source.is_annotated or scraping is None:
        return
    if not source.monitored_by:
        if any(stack.scrapes_in_other_ways for stack in scraping.stacks):
            yield unknown(where, "this Prometheus has a list of its own, which may name HAMi's services")
            return
        yield fail(
            where,
            f"nobody scrapes the metrics of HAMi's {source.role}",
            is_="no ServiceMonitor chooses this service",
            should="one that does",
            cause=_UNSEEN,
        )
        return
    wanted = [scraping.wants_besides(labels) for labels in source.monitored_by]
    if any(not isinstance(each.state, Unknown) and each.state.value is None for each in wanted):
        return
    labels = need(wanted[0]) or {}
    shown = ", ".join(f"{name}={value}" for name, value in labels.items())
    yield fail(
        where,
        f"the ServiceMonitor of HAMi's {source.role} is chosen by no Prometheus",
        is_=", ".join(f"{name}={value}" for name, value in source.monitored_by[0].items()) or "no labels",
        should=shown,
        cause=_UNSEEN,
        remedy=f"give the ServiceMonitor the label {shown}",
    )
