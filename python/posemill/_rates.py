# SPDX-License-Identifier: MIT
"""Exact rates and times, and the number of samples at a rate."""
from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Union

__all__ = ["Rate", "Span", "count_samples", "number_of", "rate_of", "seconds_of"]

Rate = Union[str, int, float, Fraction]

_LIMIT = 2**63


def _fraction(value: Any, name: str) -> Fraction:
    try:
        if isinstance(value, bool) or not isinstance(value, (str, Real)):
            raise TypeError(f"{name}: expected a number or a text such as '30000/1001', found "
                            f"{type(value).__name__}")
        exact = isinstance(value, (str, Rational))
        found = Fraction(value if exact else repr(float(value)))  # type: ignore[arg-type]
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"{name}: {value!r} is not a number or a fraction") from error
    if abs(found.numerator) >= _LIMIT or found.denominator >= _LIMIT:
        raise ValueError(f"{name}: {value!r} has too many digits")
    return found


def number_of(value: Any, name: str) -> float:
    """A number of the caller."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, found {type(value).__name__}")
    return float(value)


def rate_of(value: Rate, name: str = "rate") -> Fraction:
    """A rate above 0 in Hz. A float stands for the decimal that Python prints for it."""
    found = _fraction(value, name)
    if found <= 0:
        raise ValueError(f"{name}: expected a number above 0, found {value!r}")
    return found


def seconds_of(value: Rate, name: str) -> Fraction:
    """A time of 0 or more in seconds."""
    found = _fraction(value, name)
    if found < 0:
        raise ValueError(f"{name}: expected 0 or more, found {value!r}")
    return found


@dataclass(frozen=True)
class Span:
    """From the first key to the end of a curve.

    Attributes
    ----------
    seconds : Fraction or float
        To the last key; exact for uniform keys.
    period : float or None
        Of a loop.
    closes : bool
        Whether the loop's last key repeats the first.
    """

    seconds: Fraction | float
    period: float | None = None
    closes: bool = False


def _last_within(seconds: Fraction | float, rate: Fraction, start: Fraction) -> int:
    """The largest k with start + k / rate <= seconds; -1 if there is none.

    Listed times are rounded, so the sample's time is rounded before it is compared with one.
    """
    last = math.floor((Fraction(seconds) - start) * rate)
    if isinstance(seconds, float) and float(start + (last + 1) / rate) <= seconds:
        last += 1
    return last


def count_samples(span: Span, rate: Fraction, start: Fraction, end: Fraction | None,
                  end_rule: str) -> tuple[int, Fraction | None]:
    """The number of samples, and the time of one more at the end itself, if the rule asks for it."""
    if end_rule not in ("fit", "include"):
        raise ValueError(f"end_rule: expected 'fit' or 'include', found {end_rule!r}")
    if end is None and span.period is not None and not span.closes:
        # Frame 0 repeats at the period. Half a thousandth of a sample is for its rounding.
        count = math.ceil((Fraction(span.period) - start) * rate - Fraction(1, 2000))
        if count < 1:
            raise ValueError("start: is after the end of the loop")
        return count, None
    if end is not None and span.period is None and float(end) > span.seconds:
        raise ValueError(f"end: is after the last key, which is at {float(span.seconds)} s")
    stop = span.seconds if end is None else end
    last = _last_within(stop, rate, start)
    if last < 0:
        raise ValueError("start: is after the last key" if end is None else "start: is after end")
    missed = float(start + last / rate) < stop if isinstance(stop, float) else \
        start + last / rate < stop
    return last + 1, Fraction(stop) if end_rule == "include" and missed else None
