# SPDX-License-Identifier: MIT
"""Fractions as the C library takes them, and as people read them."""
from __future__ import annotations

from fractions import Fraction

from ._rates import Rate as Number
from ._rates import rate_of, seconds_of

__all__ = ["Number", "rate_of", "rational", "seconds_of", "text_of"]


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
