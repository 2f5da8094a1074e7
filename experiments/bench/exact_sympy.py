#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact softmax attention in SymPy's best form, beside attest's.

    exact_sympy.py PATH/TO/exact_attention [n d denominator [instances]]

Reads instances that exact_attention prints, computes the same output with fractions of polynomials in
t = e^(1/denominator) (sympy.polys.rings over the integers, no expression trees; one cancel an entry), checks
it against attest's, prints both times (best of a few) and their ratio.
"""
import json
import math
import subprocess
import sys
import time
from fractions import Fraction

import sympy
from sympy.polys.domains import ZZ
from sympy.polys.rings import ring

R, t = ring("t", ZZ)


def product(a, b):
    """a b for lists of rows."""
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def attention(x, query, key, value, denominator):
    """softmax(x Q (x K)^T) x V: rows of reduced pairs (numerator, denominator) of polynomials in t."""
    q, k, v = product(x, query), product(x, key), product(x, value)
    logits = product(q, list(zip(*k)))
    common = math.lcm(*(c.denominator for row in v for c in row))
    v = [[int(c * common) for c in row] for row in v]
    rows = []
    for row in logits:
        exponents = [int(s * denominator) for s in row]   # exact: the denominator is common
        lowest = min(exponents)
        powers = [e - lowest for e in exponents]
        norm = R.zero
        for e in powers:
            norm += t**e
        entries = []
        for column in zip(*v):
            total = R.zero
            for e, c in zip(powers, column):
                if c:
                    total += c * t**e
            entries.append(total.cancel(common * norm))
        rows.append(entries)
    return rows


def real(entry, denominator):
    """The entry's value, exponents shifted so that nothing overflows."""
    top = max(p.degree() for p in entry if p) if any(entry) else 0
    number = [math.fsum(int(c) * math.exp((m[0] - top) / denominator) for m, c in p.terms())
              for p in entry]
    return number[0] / number[1]


def main():
    program = sys.argv[1]
    size = [int(a) for a in sys.argv[2:5]] or [16, 4, 12]
    instances = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    ratios = []
    for seed in range(1, instances + 1):
        text = subprocess.run([program, *map(str, size), str(seed)], check=True,
                              capture_output=True, text=True).stdout
        case = json.loads(text)
        x, query, key, value = ([[Fraction(c) for c in row] for row in case[name]]
                                for name in ("x", "query", "key", "value"))
        seconds = math.inf
        for _ in range(3):
            start = time.perf_counter()
            rows = attention(x, query, key, value, case["denominator"])
            seconds = min(seconds, time.perf_counter() - start)
        expected = iter(case["output"])
        for tokens, entries in zip(x, rows):
            for token, entry in zip(tokens, entries):
                got, want = float(token) + real(entry, case["denominator"]), next(expected)
                if abs(got - want) > 1e-9 * (1 + abs(want)):
                    sys.exit(f"seed {seed}: {got} differs from {want}")
        ratios.append(seconds / case["seconds"])
        print(f"n={size[0]} d={size[1]} denominator={size[2]} seed={seed}: SymPy {sympy.__version__} "
              f"{seconds:.3f} s, attest {case['seconds'] * 1000:.3f} ms, ratio {ratios[-1]:.0f}")
    print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.0f}")


if __name__ == "__main__":
    main()
