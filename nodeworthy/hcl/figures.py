"""Functions on numbers, and on addresses of networks."""

from __future__ import annotations

from typing import Any

from nodeworthy.hcl import arithmetic
from nodeworthy.hcl.calling import Calling, Function
from nodeworthy.hcl.values import Refusal, Value, need_list, num, text, whole_num


def abs_(c: Calling, value: Value) -> Value:
    return c.number(arithmetic.absolute(num(value)))


def ceil(c: Calling, value: Value) -> Value:
    from math import ceil as up

    return c.number(up(num(value)))


def floor(c: Calling, value: Value) -> Value:
    from math import floor as down

    return c.number(down(num(value)))


def max_(c: Calling, *values: Value) -> Value:
    if not values:
        raise Refusal("max() of nothing")
    return c.number(max(map(num, values)))


def min_(c: Calling, *values: Value) -> Value:
    if not values:
        raise Refusal("min() of nothing")
    return c.number(min(map(num, values)))


def signum(c: Calling, value: Value) -> Value:
    found = whole_num(value)
    return c.number((found > 0) - (found < 0))


def sum_(c: Calling, value: Value) -> Value:
    items = need_list(value)
    if not items:
        raise Refusal("sum() of nothing")
    total: arithmetic.Number = 0
    for each in items:
        total = arithmetic.add(total, num(each))
    return c.number(total)


def pow_(c: Calling, base: Value, power: Value) -> Value:
    return c.number(_from_float(float(num(base)) ** float(num(power))))


def log(c: Calling, value: Value, base: Value) -> Value:
    from math import log as logarithm

    try:
        return c.number(_from_float(logarithm(float(num(value))) / logarithm(float(num(base)))))
    except (ValueError, ZeroDivisionError) as problem:
        raise Refusal(str(problem)) from None


def _from_float(value: Any) -> arithmetic.Number:
    if isinstance(value, complex):
        raise Refusal("this is no number")
    try:
        return arithmetic.number(repr(value))
    except arithmetic.NoNumber as problem:
        raise Refusal(str(problem)) from None


def parseint(c: Calling, value: Value, base: Value) -> Value:
    told, radix = text(value), whole_num(base)
    if not 2 <= radix <= 36 or len(told) > arithmetic.MOST_DIGITS or "_" in told or told != told.strip():
        raise Refusal("this is no whole number")
    try:
        return c.number(int(told, radix))
    except ValueError:
        raise Refusal("this is no whole number") from None


# Networks


def _network(value: Value) -> Any:
    from ipaddress import ip_network

    told = text(value)
    if "/" not in told:
        raise Refusal(f"{told} is no network")
    try:
        return ip_network(told, strict=False)
    except ValueError as problem:
        raise Refusal(str(problem)) from None


def _subnet(network: Any, bits: int, number: int) -> Any:
    from ipaddress import ip_network

    length = network.prefixlen + bits
    if bits < 0 or length > network.max_prefixlen or not 0 <= number < 2**bits:
        raise Refusal("there is no such network within")
    address = int(network.network_address) + (number << (network.max_prefixlen - length))
    return ip_network((address, length)) if network.version == 4 else _six(address, length)


def _six(address: int, length: int) -> Any:
    from ipaddress import IPv6Network

    return IPv6Network((address, length))


def cidrsubnet(c: Calling, prefix: Value, bits: Value, number: Value) -> Value:
    return c.told(str(_subnet(_network(prefix), whole_num(bits), whole_num(number))))


def cidrhost(c: Calling, prefix: Value, number: Value) -> Value:
    from ipaddress import IPv4Address, IPv6Address

    network, wanted = _network(prefix), whole_num(number)
    size = network.num_addresses
    if not -size <= wanted < size:
        raise Refusal("there is no such address")
    address = int(network.network_address) + (wanted % size)
    return c.told(str(IPv4Address(address) if network.version == 4 else IPv6Address(address)))


def cidrnetmask(c: Calling, prefix: Value) -> Value:
    network = _network(prefix)
    if network.version != 4:
        raise Refusal("only IPv4 has netmasks")
    return c.told(str(network.netmask))


def cidrsubnets(c: Calling, prefix: Value, *bits: Value) -> Value:
    network = _network(prefix)
    at, made = int(network.network_address), []
    for each in bits:
        length = network.prefixlen + whole_num(each)
        if not network.prefixlen < length <= network.max_prefixlen:
            raise Refusal("there is no such network within")
        size = 1 << (network.max_prefixlen - length)
        at = -(-at // size) * size
        offset = at - int(network.network_address)
        if offset + size > network.num_addresses:
            raise Refusal("there is no room for it")
        made.append(c.told(str(_subnet(network, whole_num(each), offset // size))))
        at += size
    return c.sequence("list", made)


FUNCTIONS: dict[str, Function] = {
    "abs": abs_,
    "ceil": ceil,
    "cidrhost": cidrhost,
    "cidrnetmask": cidrnetmask,
    "cidrsubnet": cidrsubnet,
    "cidrsubnets": cidrsubnets,
    "floor": floor,
    "log": log,
    "max": max_,
    "min": min_,
    "parseint": parseint,
    "pow": pow_,
    "signum": signum,
    "sum": sum_,
}
