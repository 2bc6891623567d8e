"""Utilisation, as Prometheus answers it: idle is what was looked at for long, on all of a pod's GPUs."""

from __future__ import annotations

from typing import Any

from nodeworthy.facts.cluster.idle_holders import GpuUsage, is_answer

HOUR = [(300.0 * step, "0") for step in range(13)]


def series(gpu: int, values: list[tuple[float, str]], **labels: str) -> dict[str, Any]:
    metric = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "Hostname": "n", "gpu": str(gpu), "namespace": "ml", "pod": "p"}
    return {"metric": {**metric, **labels}, "values": [list(each) for each in values]}


def usage(*result: Any) -> GpuUsage:
    found = GpuUsage()
    answer = {"status": "success", "data": {"resultType": "matrix", "result": list(result)}}
    assert is_answer(answer)
    found.add(answer)
    return found


def test_quiet_for_an_hour_is_idle() -> None:
    assert usage(series(0, HOUR), series(1, HOUR)).of(("ml", "p"), 2) == (False, 3600.0)


def test_one_busy_moment_is_work() -> None:
    assert usage(series(0, HOUR), series(1, [*HOUR, (3900.0, "97")])).of(("ml", "p"), 2)[0] is True


def test_a_gpu_that_nobody_measured_may_work() -> None:
    assert usage(series(0, HOUR)).of(("ml", "p"), 2)[0] is None


def test_a_moment_alone_proves_nothing() -> None:
    assert usage(series(0, HOUR[:2])).of(("ml", "p"), 1)[0] is None
    now = {**series(0, []), "value": [0.0, "0"]}
    assert usage({name: now[name] for name in ("metric", "value")}).of(("ml", "p"), 1)[0] is None


def test_without_honor_labels_the_pod_is_the_exported_one() -> None:
    found = usage(series(0, HOUR, exported_pod="train", exported_namespace="research", pod="dcgm-exporter-x"))
    assert found.of(("research", "train"), 1)[0] is False
    assert found.of(("ml", "dcgm-exporter-x"), 1)[0] is None


def test_what_is_no_number_is_left_out() -> None:
    assert not usage(series(0, [(0.0, "NaN?"), (1.0, "")]))
    assert not usage({"metric": None}, "words", {"metric": {"__name__": "up", "pod": "p"}, "values": [[0, "1"]]})
    assert not is_answer({"status": "error", "data": {}})


def test_what_dcgm_writes_for_no_measurement_is_none() -> None:
    assert not usage(series(0, [(when, "2147483632") for when, _ in HOUR]), series(1, [(0.0, "NaN"), (9.0, "-1")]))


def test_nobody_knows_what_a_gpu_did_in_a_gap() -> None:
    broken = [HOUR[0], *HOUR[-4:]]
    assert usage(series(0, broken)).of(("ml", "p"), 1) == (None, 900.0)


def test_what_one_of_two_counters_saw_is_seen() -> None:
    busy = [(when, "0.4") for when, _ in HOUR]
    engine = series(0, busy, __name__="DCGM_FI_PROF_GR_ENGINE_ACTIVE")
    for some in ((engine, series(0, HOUR)), (series(0, HOUR), engine)):
        assert usage(*some).of(("ml", "p"), 1)[0] is True


def test_slices_of_one_gpu_are_told_apart() -> None:
    slices = [series(0, HOUR, UUID="GPU-1", GPU_I_ID=str(number)) for number in (1, 2)]
    assert usage(*slices).of(("ml", "p"), 2)[0] is False
