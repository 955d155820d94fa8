# SPDX-License-Identifier: MIT
"""Rates that may be relative, and fractions as the C library takes them."""
from __future__ import annotations

from fractions import Fraction

from . import _rates
from ._rates import Rate as Number
from ._rates import seconds_of

__all__ = ["Number", "rate_of", "rational", "seconds_of", "text_of"]


def rate_of(value: Number, name: str = "rate", source: Fraction | None = None) -> Fraction:
    """A rate above 0; ``"x2"`` and ``"/4"`` are relative to `source`."""
    if not isinstance(value, str) or value[:1] not in ("x", "X", "/"):
        return _rates.rate_of(value, name)
    if source is None:
        raise ValueError(f"{name}: {value!r} is relative, and there is no source rate")
    try:
        factor = _rates.rate_of(value[1:], name)
    except ValueError as error:
        raise ValueError(f"{name}: {value!r} is not a factor such as 'x2' or '/4'") from error
    return _rates.rate_of(source / factor if value[0] == "/" else source * factor, name)


def rational(value: Fraction | None) -> dict[str, int]:
    """A pm_rational; None is 0/0, not given."""
    return {"num": 0, "den": 0} if value is None else {"num": value.numerator,
                                                       "den": value.denominator}


def text_of(value: Fraction) -> str:
    """For people: the number, and the fraction where that is no short decimal."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"{decimal} ({value})"
