"""Numbers as Terraform counts: whole ones of any size, and others to 512 bits, which is some 154 digits."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation, Overflow

Number = int | Decimal

# More digits than a float of 512 bits tells apart.
_PRECISE = Context(prec=160, Emax=5000, Emin=-5000)
MOST_DIGITS = 400
_BITS, _FEWEST, _MOST = 512, 150, 158


class NoNumber(ValueError):
    """Too large, or divided by nothing."""


def number(text: str) -> Number:
    """Raises NoNumber for what is none, or is larger than anybody needs."""
    if len(text) > MOST_DIGITS:
        raise NoNumber("a number of so many digits")
    if text.isdecimal() and text.isascii():
        return int(text)
    try:
        return whole(_PRECISE.create_decimal(text))
    except (InvalidOperation, Overflow):
        raise NoNumber(f"{text} is no number") from None


def whole(value: Decimal) -> Number:
    """The number as an int where it is one."""
    if not value.is_finite() or abs(value.adjusted()) > MOST_DIGITS:
        raise NoNumber("a number of so many digits")
    return int(value) if value == value.to_integral_value() else value


def _both(one: Number, other: Number) -> tuple[Decimal, Decimal]:
    return Decimal(one), Decimal(other)


def add(one: Number, other: Number) -> Number:
    return (
        _bounded_number(one + other)
        if isinstance(one, int) and isinstance(other, int)
        else whole(_PRECISE.add(*_both(one, other)))
    )


def subtract(one: Number, other: Number) -> Number:
    return add(one, negate(other))


def negate(value: Number) -> Number:
    """Negates without rounding, which Decimal would do by the way."""
    return -value if isinstance(value, int) else value.copy_negate()


def absolute(value: Number) -> Number:
    return abs(value) if isinstance(value, int) else value.copy_abs()


def multiply(one: Number, other: Number) -> Number:
    if isinstance(one, int) and isinstance(other, int):
        return _bounded_number(one * other)
    return whole(_PRECISE.multiply(*_both(one, other)))


def divide(one: Number, other: Number) -> Number:
    if not other:
        raise NoNumber("division by zero")
    return whole(_PRECISE.divide(*_both(one, other)))


def remainder(one: Number, other: Number) -> Number:
    """The remainder, with the sign of what is divided."""
    if not other:
        raise NoNumber("division by zero")
    if isinstance(one, int) and isinstance(other, int):
        left = abs(one) % abs(other)
        return -left if one < 0 else left
    return whole(_PRECISE.remainder(*_both(one, other)))


def _bounded_number(value: int) -> int:
    if abs(value) >= 10**MOST_DIGITS:
        raise NoNumber("a number of so many digits")
    return value


def number_text(value: Number) -> str:
    """The number in as few digits as tell it from its neighbours of 512 bits."""
    if isinstance(value, int):
        return str(value)
    if len(value.as_tuple().digits) >= _FEWEST:
        value = _shortest(value)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def general(value: Number) -> str:
    """The number as `%v` writes it: from a million on, and below a ten-thousandth, with an exponent."""
    plain = number_text(value)
    exponent = Decimal(plain).adjusted()
    if not value or -4 <= exponent < 6:
        return plain
    digits = "".join(map(str, Decimal(plain).as_tuple().digits)).rstrip("0")
    sign, point = "-" if value < 0 else "", "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _shortest(value: Decimal) -> Decimal:
    wanted = _in_bits(value)
    for digits in range(_FEWEST, _MOST):
        shorter = Context(prec=digits, Emax=5000, Emin=-5000).plus(value)
        if _in_bits(shorter) == wanted:
            return shorter
    return value


def _in_bits(value: Decimal) -> tuple[int, int]:
    """The first 512 bits, rounded, and where they begin."""
    over, under = value.copy_abs().as_integer_ratio()
    shift = _BITS - (over.bit_length() - under.bit_length())
    over, under = (over << shift, under) if shift >= 0 else (over, under << -shift)
    if over // under >= 1 << _BITS:
        under, shift = under << 1, shift - 1
    whole, rest = divmod(over, under)
    return whole + (2 * rest > under or (2 * rest == under and whole & 1 == 1)), shift
