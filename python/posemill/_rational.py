# SPDX-License-Identifier: MIT
"""Rates and times as the exact fractions that the C library takes."""
from __future__ import annotations

from fractions import Fraction

import numpy as np

__all__ = ["Number", "fraction_of", "rate_of", "rational", "seconds_of", "text_of"]

Number = int | float | str | Fraction

_LARGEST = 2**63 - 1


def fraction_of(value: Number, name: str) -> Fraction:
    """The fraction that a number or a text stands for: 29.97 is 2997/100."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
            value, (int, float, str, Fraction, np.integer, np.floating)):
        raise TypeError(f"{name}: expected a number, a fraction or a text, "
                        f"found {type(value).__name__}")
    try:
        if isinstance(value, np.integer):
            found = Fraction(int(value))
        elif isinstance(value, np.floating):
            # The shortest decimal of its own type: float32(29.97) is 29.97.
            found = Fraction(np.format_float_positional(value, unique=True, trim="0"))
        else:
            found = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ValueError(f"{name}: {value!r} is not a number") from None
    if abs(found.numerator) > _LARGEST or found.denominator > _LARGEST:
        raise ValueError(f"{name}: {value!r} does not fit a fraction of 64-bit integers")
    return found


def rate_of(value: Number, name: str = "rate", source: Fraction | None = None) -> Fraction:
    """A rate above 0; ``"x2"`` and ``"/4"`` are relative to `source`."""
    if isinstance(value, str) and value[:1] in ("x", "X", "/"):
        if source is None:
            raise ValueError(f"{name}: {value!r} is relative, and there is no source rate")
        factor = fraction_of(value[1:], name)
        if factor <= 0:
            raise ValueError(f"{name}: {value!r} is not above 0")
        found = fraction_of(source / factor if value[0] == "/" else source * factor, name)
    else:
        found = fraction_of(value, name)
    if found <= 0:
        raise ValueError(f"{name}: {value!r} is not above 0")
    return found


def seconds_of(value: Number, name: str) -> Fraction:
    """A time of 0 or more."""
    found = fraction_of(value, name)
    if found < 0:
        raise ValueError(f"{name}: {value!r} is below 0")
    return found


def rational(value: Fraction | None) -> dict[str, int]:
    """A pm_rational; None is 0/0, not given."""
    return {"num": 0, "den": 0} if value is None else {"num": value.numerator,
                                                       "den": value.denominator}


def text_of(value: Fraction) -> str:
    """``30 Hz`` for people: the number, and the fraction where that is no short decimal."""
    if value.denominator == 1:
        return str(value.numerator)
    decimal = f"{float(value):.6g}"
    return decimal if Fraction(decimal) == value else f"{decimal} ({value})"
