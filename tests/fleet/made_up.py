"""Fleets made at random: sound ones, sound ones with one thing spoilt, and ones that are hardly any."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nodeworthy.fleet.declaration import FLEET
from nodeworthy.fleet.os import OSES
from nodeworthy.fleet.shape import Items, Named, Record, Text, Truth, Whole
from nodeworthy.known.containerd import distributions
from nodeworthy.known.gpus import gpu_names

# What PyYAML can write and read back; any bytes at all come further down.
TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6)
Made = st.SearchStrategy[Any]
SECURE = st.just({"secure": "v1:AAAAAAAAAAA=:v1:abcdef"})
NEAR = st.sampled_from(
    ["", "x", "10.0.0.0/16", "10.0.0.1/16", "::/0", "fd00::/8", "0.0.0.0/0", "/", "/a/../b", "50Gi", "15d", "1.34",
     "26.3.0", "cr-0", "k:1", "[::1]:5000", "a:b:c", "us-east-2a", "p5.48xlarge", "p5", "c7i.4xlarge",
     "p6-b200.48xlarge",
     *OSES, *distributions(), *gpu_names()]
)  # fmt: skip
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(-5, 70000), st.floats(allow_nan=False), NEAR, TEXT, SECURE)
ANYTHING = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def of(kind: Any) -> st.SearchStrategy[Any]:
    """Mostly what belongs there, sometimes anything."""
    return st.one_of(right(kind), right(kind), right(kind), ANYTHING)


def right(kind: Any) -> st.SearchStrategy[Any]:
    match kind:
        case Text():
            return st.sampled_from(kind.choices) if kind.choices else NEAR
        case Whole():
            return st.integers(kind.minimum, min(kind.maximum or 9, kind.minimum + 9))
        case Truth():
            return st.booleans()
        case Items():
            return st.lists(of(kind.of), max_size=3)
        case Named():
            return st.dictionaries(st.sampled_from(["a", "b", "c d", ""]), of(kind.of), max_size=3)
        case Record():
            return record(kind)
    return st.dictionaries(st.sampled_from(["toolkit", "driver", "x"]), ANYTHING, max_size=3)


def record(kind: Record) -> st.SearchStrategy[dict[str, Any]]:
    required = {name: of(field.kind) for name, field in kind.fields.items() if field.required}
    optional = {name: of(field.kind) for name, field in kind.fields.items() if not field.required}
    known = st.fixed_dictionaries(required, optional=optional)
    return st.one_of(
        known,
        known,
        known,
        st.tuples(known, st.dictionaries(TEXT, SCALAR, max_size=1)).map(lambda two: joined(*two)),
    )


def joined(*parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for part in parts for name, value in part.items()}


HARDWARE: Made = st.sampled_from(
    [
        {"gpu": "h100", "instanceType": "p5.48xlarge"},
        {"gpu": "A10g", "instanceType": "g5.12xlarge", "gpusPerNode": 4},
        {"gpu": "h1000"},
        {"gpu": "t4", "instanceType": "p5.48xlarge"},
        {"instanceType": "c7i.4xlarge"},
        {"gpu": {"secure": "v1:AAAAAAAAAAA="}},
        {"gpu": "h200", "distribution": "k8s-snap", "containerdBaseDir": "/var/lib/k8s-containerd/k8s-containerd"},
        {"gpu": "h200", "distribution": "k8s-snap", "snapConfinement": "strict"},
        {"gpu": "l4", "os": "ubuntu-22.04"},
        {"gpu": "l4", "distribution": {"secure": "v1:AAAAAAAAAAA="}},
        {"gpu": "l4", "os": "bottlerocket", "containerd": "2.2"},
        {},
    ]
)
SIZES: Made = st.sampled_from(
    [{}, {"nodes": 0}, {"nodes": 2, "min": 1, "max": 4}, {"min": 3}, {"nodes": 9, "profilingDedicated": 1}]
)
BOUGHT: Made = st.sampled_from(
    [{}, {"capacity": {"kind": "block", "id": "cr-0123"}}, {"firewall": "ufw"}, {"driver": "operator"}]
)
SOUND: Made = st.fixed_dictionaries(
    {
        "cluster": st.sampled_from([{"name": "x"}, {"name": {"secure": "v1:AAAAAAAAAAA="}, "podCidr": "10.0.0.0/17"}]),
        "pools": st.dictionaries(
            st.sampled_from(["a", "b", "c"]),
            st.tuples(HARDWARE, SIZES, BOUGHT).map(lambda parts: joined(*parts)),
            min_size=1,
        ),
    },
    optional={
        "operator": st.sampled_from(
            [False, None, {"values": {"toolkit": {"env": []}}}, {"chart": "26.3.0", "values": {}}]
        )
        | st.fixed_dictionaries({"values": st.dictionaries(st.sampled_from(["toolkit", "driver"]), ANYTHING)}),
        "registries": st.sampled_from([[], None, [{"host": "cache:5000", "plainHttp": True}]]),
        "storage": st.sampled_from([None, {}, {"mount": "/x"}]),
        "monitoring": st.sampled_from([{"retention": "1d12h", "volume": "1.5Ti"}, False]),
    },
)


@st.composite
def spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """A sound fleet with one thing in it that may be anything."""
    fleet = draw(SOUND)
    at: Any = fleet
    while True:
        key = draw(st.sampled_from(sorted(at))) if at else "x"
        if not isinstance(at.get(key), dict) or draw(st.booleans()):
            return _with(fleet, key, draw(ANYTHING))
        at = at[key]


def _with(fleet: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The fleet with a value under every key of this name."""
    return {
        name: value if name == key else _with(child, key, value) if isinstance(child, dict) else child
        for name, child in fleet.items()
    }


FLEETS: Made = st.one_of(SOUND, SOUND, spoilt(), record(FLEET)).map(
    lambda fleet: {"config": {"nodeworthy:fleet": fleet}}
)
