# SPDX-License-Identifier: GPL-3.0-or-later
"""Certified floors: `attest floor`."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._exact import Number, number
from ._program import options, run


@dataclass(frozen=True)
class Floor:
    """The smallest error that a model of the class can have.

    Attributes:
        value: largest entry of the error, in the function's units; exact.
        constant: the token of the constant sequence that shows it; None where there is no floor.
        rows: the function's values there, one a position.
        has_floor: False: the class may represent the function.
        losses: exact floors of "mse", "cross_entropy" (nats) and "accuracy" (a ceiling).
        document: everything that attest printed.
    """

    value: Number
    constant: Optional[Number]
    rows: List[Number]
    has_floor: bool
    losses: Dict[str, Number]
    document: Dict[str, Any]

    def __float__(self) -> float:
        return float(self.value)


def floor(function: str, n: int, domain: str = "0,1", of: str = "collapsing") -> Floor:
    """The error that no model of a class can beat.

    Args:
        function: a name (`position`, `shift`, ...) or a formula in x[...], i and n.
        n: tokens of a sequence.
        domain: the tokens' interval, two rationals.
        of: "collapsing", "symmetric" or "equivariant".

    >>> floor("i*x[1]", n=8).value
    Fraction(7, 2)
    >>> floor("i*x[1] - i*x[1]^3", n=3).value.minimal_polynomial
    [-4, 0, 27]
    """
    document = run(["floor", *options(function=function, n=n, domain=domain, **{"class": of})])
    value = number(document["floor"])
    if value is None:
        value = number({"enclosure": document["enclosure"],
                        "minimal_polynomial": document.get("minimal_polynomial")})
    witness = document.get("witness") or {}
    losses = {name: loss for name, loss in
              ((name, number(loss)) for name, loss in (document.get("losses") or {}).items())
              if loss is not None}
    return Floor(value, number(witness.get("constant")),
                 [number(row) for row in witness.get("rows", [])],
                 document["has_floor"], losses, document)
