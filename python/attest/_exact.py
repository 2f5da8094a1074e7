# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact numbers as attest prints them: rationals, and algebraic ones by polynomial and enclosure."""
from fractions import Fraction
from typing import Any, List, Optional, Tuple, Union

Interval = Tuple[Fraction, Fraction]


class Real:
    """A real number between two rationals.

    Attributes:
        enclosure: (lower, upper), both exact and both inclusive.
        minimal_polynomial: integer coefficients, the constant first, or None where the number is not
            known as an algebraic one.
    """

    def __init__(self, enclosure: Interval, minimal_polynomial: Optional[List[int]] = None) -> None:
        self.enclosure = enclosure
        self.minimal_polynomial = minimal_polynomial

    def __float__(self) -> float:
        lower, upper = self.enclosure
        return float((lower + upper) / 2)

    def __lt__(self, other: Union[int, Fraction]) -> bool:
        return self._side(other) < 0

    def __gt__(self, other: Union[int, Fraction]) -> bool:
        return self._side(other) > 0

    def _side(self, other: Union[int, Fraction]) -> int:
        """-1 below other, 1 above; an enclosure that holds other decides nothing and says so."""
        lower, upper = self.enclosure
        if upper < other:
            return -1
        if lower > other:
            return 1
        raise ValueError(f"the enclosure [{float(lower)}, {float(upper)}] does not decide this")

    def __repr__(self) -> str:
        if self.minimal_polynomial is None:
            return f"Real({float(self)!r})"
        return f"Algebraic({float(self)!r}, minimal_polynomial={self.minimal_polynomial})"


Number = Union[Fraction, Real]


def number(document: Any) -> Optional[Number]:
    """A number from a document: "7/2", or {"enclosure", "minimal_polynomial"}.

    >>> number("7/2")
    Fraction(7, 2)
    >>> number({"enclosure": ["1.4142", "1.4143"], "minimal_polynomial": [-2, 0, 1]})
    Algebraic(1.41425, minimal_polynomial=[-2, 0, 1])
    >>> number(None)
    """
    if document is None:
        return None
    if isinstance(document, str):
        return Fraction(document)
    lower, upper = (Fraction(end) for end in document["enclosure"])
    return Real((lower, upper), document.get("minimal_polynomial"))
