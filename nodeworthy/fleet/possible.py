"""Whether the hardware that a pool names exists and goes together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from nodeworthy.fleet.model import Impossible, Pool
from nodeworthy.known import gpus, instances
from nodeworthy.verdict import Known, Located

T = TypeVar("T")


def impossible_in(
    pool: str, gpu: Located[str] | None, instance_type: Located[str] | None, count: Located[int] | None
) -> Iterator[Impossible]:
    """What can't be in a pool, as it was written: the GPU, the instance type, the pair, the number."""
    named = _value(gpu)
    known_gpu = gpus.gpu_named(named) if named is not None else None
    if gpu is not None and named is not None and known_gpu is None:
        yield _no_such_gpu(gpu, named, pool)
    kind = _value(instance_type)
    if instance_type is None or kind is None:
        return
    if not instances.exists(kind):
        yield _no_such_type(instance_type, kind, known_gpu, pool)
        return
    has = instances.gpus_of(kind)
    if has is None:
        return
    if gpu is not None and known_gpu is not None and known_gpu.name != has.gpu:
        yield _not_together(gpu, known_gpu.name, has, pool)
    written = _value(count)
    if count is not None and count.written and written is not None and written != has.count:
        should = f"{has.count}, or no gpusPerNode at all"
        message = f"{kind} has {has.count} × {has.gpu}, not {written}"
        yield Impossible(count.place, message, str(written), should, pool)


def not_offered(pool: Pool, region: str | None) -> Iterator[Impossible]:
    """A pool that is to be built where AWS does not have its instance type."""
    kind = _value(pool.instance_type)
    if pool.instance_type is None or kind is None or region is None or not pool.provision:
        return
    from nodeworthy.known import offerings

    if offerings.is_offered(kind, region) is False:
        named = ", ".join(offerings.regions_of(kind))
        message = f"{kind} is not offered in {region} ({offerings.offerings_source()}); it is in {named}"
        yield Impossible(pool.instance_type.place, message, f"{kind} in {region}", f"one of {named}", pool.name)


def _value(located: Located[T] | None) -> T | None:
    return located.state.value if located is not None and isinstance(located.state, Known) else None


def _no_such_gpu(gpu: Located[str], named: str, pool: str) -> Impossible:
    near = gpus.near(named)
    meant = f"did you mean {' or '.join(near[:2])}? EC2 has" if near else "EC2 has"
    message = f"`{named}` is not a GPU we know; {meant} {', '.join(instances.gpus_on_ec2())}"
    return Impossible(
        gpu.place, message, named, ", ".join((*near, *(each for each in gpus.gpu_names() if each not in near))), pool
    )


def _no_such_type(place: Located[str], kind: str, gpu: gpus.Gpu | None, pool: str) -> Impossible:
    meant = instances.near(kind)
    fitting = instances.types_with(gpu.name) if gpu is not None else ()
    offered = meant or fitting
    should = ", ".join(offered) or "an instance type that EC2 has"
    hint = f"did you mean {should}?" if meant else _where(gpu, fitting)
    message = f"`{kind}` is not an instance type that EC2 has ({instances.instance_types_source()}); {hint}"
    return Impossible(place.place, message, kind, should, pool)


def _where(gpu: gpus.Gpu | None, fitting: tuple[str, ...]) -> str:
    return f"{gpu.name} is in {', '.join(fitting)}" if gpu is not None and fitting else "nothing we know is near it"


def _not_together(gpu: Located[str], name: str, has: instances.InstanceGpus, pool: str) -> Impossible:
    types = instances.types_with(name)
    where = f"{name} is in {', '.join(types)}" if types else f"no instance type we know has {name}"
    message = f"{has.type} has {has.count} × {has.gpu}, not {name}; {where}"
    return Impossible(gpu.place, message, name, has.gpu, pool)
