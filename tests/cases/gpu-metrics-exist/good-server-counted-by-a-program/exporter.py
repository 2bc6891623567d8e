"""Counts what waits before the servers."""

from prometheus_client import Gauge

WAITING = Gauge("vllm_num_requests_waiting", "requests that wait at the gateway")
