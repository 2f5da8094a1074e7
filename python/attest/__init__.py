# SPDX-License-Identifier: GPL-3.0-or-later
"""attest from Python: what two papers claim about Transformers, decided.

The package runs the program `attest` (found on the search path, or by the environment's ATTEST) and
turns its documents into objects: exact numbers are Fractions or enclosed algebraic numbers, tables are
pandas.DataFrames where pandas is installed, figures show themselves in a notebook.

>>> import attest
>>> attest.floor("i*x[1]", n=8).value
Fraction(7, 2)
"""
from ._claims import Claim, Claims, claims, verify
from ._exact import Real
from ._floor import Floor, floor
from ._program import AttestError, program
from ._run import Figure, Run, energy, evaluate, fit, table

__all__ = ["AttestError", "Claim", "Claims", "Figure", "Floor", "Real", "Run", "claims", "energy",
           "evaluate", "fit", "floor", "program", "table", "verify"]
