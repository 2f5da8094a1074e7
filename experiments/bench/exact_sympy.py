#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact softmax attention in SymPy's best form, beside attest's.

    exact_sympy.py PATH/TO/exact_attention [n d denominator [instances]]

Reads instances that exact_attention prints and computes the same output, softmax(QK^T)V, with fractions of
polynomials in t = e^(1/denominator): sympy.polys.rings over the integers, no expression trees, each polynomial
made from its terms at once, one cancel an entry; products of matrices in integers over one common denominator.
Both start from the rational input and weights and end with reduced fractions, which must be the same polynomials.
Prints both processor times (best of five) and their ratio.
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


def integers(a):
    """a's entries over their least common denominator, and that."""
    common = math.lcm(*(c.denominator for row in a for c in row))
    return [[c.numerator * (common // c.denominator) for c in row] for row in a], common


def product(a, b):
    """a b for lists of rows."""
    columns = list(zip(*b))
    return [[sum([x * y for x, y in zip(row, column)]) for column in columns] for row in a]


def polynomial(exponents, coefficients):
    terms = {}
    for e, c in zip(exponents, coefficients):
        terms[e] = terms.get(e, 0) + c
    return R.from_dict(terms)


def attention(x, query, key, value, denominator):
    """softmax(x Q (x K)^T) x V: rows of reduced pairs (numerator, denominator) of polynomials in t."""
    (x, dx), (query, dq), (key, dk), (value, dv) = map(integers, (x, query, key, value))
    q, k, v = product(x, query), product(x, key), product(x, value)
    logits = product(q, list(zip(*k)))
    columns = list(zip(*v))
    over = dx * dx * dq * dk
    rows = []
    for row in logits:
        lowest = min(row)
        exponents = [((s - lowest) * denominator // over,) for s in row]   # exact: the denominator is common
        norm = polynomial(exponents, [dx * dv] * len(row))
        rows.append([polynomial(exponents, column).cancel(norm) for column in columns])
    return rows


def scaled_terms(p, scale):
    """p/scale as a dict from exponent to coefficient."""
    return {m[0]: Fraction(int(c), scale) for m, c in p.terms()}


def theirs(entry):
    """A reduced pair with the denominator made primitive, leading coefficient positive."""
    p, q = entry
    content = math.gcd(*(int(c) for c in q.coeffs()))
    if q.LC < 0:
        content = -content
    return scaled_terms(p, content), scaled_terms(q, content)


def ours(entry, denominator):
    return tuple({Fraction(e * denominator, base): Fraction(c, den) for e, c in zip(exponents, coefficients)}
                 for exponents, base, coefficients, den in entry)


def best(function, *arguments):
    """The result and the least of five times."""
    seconds = math.inf
    for _ in range(5):
        start = time.process_time()
        result = function(*arguments)
        seconds = min(seconds, time.process_time() - start)
    return result, seconds


def compare(rows, output, denominator, seed):
    """The same reduced fractions: numerator and primitive denominator, term by term."""
    entries = iter(output)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            (p, q), (num, den) = theirs(entry), ours(next(entries), denominator)
            if q != den or p != num:
                sys.exit(f"seed {seed}: entry {i}, {j} differs: {p} / {q}, {num} / {den}")


def main():
    program = sys.argv[1]
    size = [int(a) for a in sys.argv[2:5]] or [16, 4, 12]
    instances = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    ratios = []
    for seed in range(1, instances + 1):
        text = subprocess.run([program, *map(str, size), str(seed)], check=True,
                              capture_output=True, text=True).stdout
        case = json.loads(text)
        arguments = [[[Fraction(c) for c in row] for row in case[name]]
                     for name in ("x", "query", "key", "value")]
        rows, seconds = best(attention, *arguments, case["denominator"])
        compare(rows, case["output"], case["denominator"], seed)
        ratios.append(seconds / case["seconds"])
        print(f"n={size[0]} d={size[1]} denominator={size[2]} seed={seed}: SymPy {sympy.__version__} "
              f"{seconds * 1000:.2f} ms, attest {case['seconds'] * 1000:.4f} ms, ratio {ratios[-1]:.0f}")
    print(f"median ratio {sorted(ratios)[len(ratios) // 2]:.0f}, {min(ratios):.0f} to {max(ratios):.0f}")


if __name__ == "__main__":
    main()
