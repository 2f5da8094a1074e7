#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Re-checks a certificate of `attest verify --certificate FILE` without attest's code.

    python3 tests/recheck.py certificate.json

Only the standard library: rationals are fractions.Fraction, sums of exponentials of rationals
are dictionaries {exponent: coefficient}, zero only when empty (Lindemann and Weierstrass), and
strict inequalities between reals are decided with 120 digits of decimal, never nearer than
1e-60 to equality.  Every fact of every claim is recomputed, its stated digits too, and every
refuted claim must hold at least one fact; a checksum guards what no fact depends on.  Exit status 0 when all agree, 1 when one does not, 2 for a wrong file.
"""
import json
import re
import sys
import zlib
from decimal import ROUND_HALF_UP, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 120
MARGIN = Decimal(10) ** -60
DIGITS = 50


class Unknown(Exception):
    """The fact cannot be recomputed: a failure, told apart in the message."""


# ---- Sums of exponentials and their quotients ---------------------------------------------


def ring(terms):
    return {r: c for r, c in terms.items() if c != 0}


def ring_add(a, b):
    out = dict(a)
    for r, c in b.items():
        out[r] = out.get(r, Fraction(0)) + c
    return ring(out)


def ring_mul(a, b):
    out = {}
    for r, c in a.items():
        for s, d in b.items():
            out[r + s] = out.get(r + s, Fraction(0)) + c * d
    return ring(out)


def decimal_of(q):
    return Decimal(q.numerator) / Decimal(q.denominator)


def ring_decimal(a):
    return sum((decimal_of(c) * decimal_of(r).exp() for r, c in a.items()), Decimal(0))


class Number:
    """num/den exactly, or a decimal only (value) when a root or a logarithm was taken."""

    def __init__(self, num=None, den=None, value=None):
        self.num, self.den, self.value = num, den, value

    @staticmethod
    def rational(q):
        return Number(ring({Fraction(0): Fraction(q)}), {Fraction(0): Fraction(1)})

    @staticmethod
    def exponential(q):
        return Number({Fraction(q): Fraction(1)}, {Fraction(0): Fraction(1)})

    @property
    def exact(self):
        return self.value is None

    def decimal(self):
        return ring_decimal(self.num) / ring_decimal(self.den) if self.exact else self.value

    def fraction(self):
        """The rational value; Unknown where there is none."""
        if self.exact and self.den and not self.num:
            return Fraction(0)
        if self.exact and set(self.num) == set(self.den):
            ratios = {self.num[r] / self.den[r] for r in self.num}
            if len(ratios) == 1:
                return ratios.pop()
        raise Unknown("not a rational: %s" % self.decimal())

    def __add__(self, other):
        if not (self.exact and other.exact):
            return Number(value=self.decimal() + other.decimal())
        if self.den == other.den:
            return Number(ring_add(self.num, other.num), self.den)
        return Number(ring_add(ring_mul(self.num, other.den), ring_mul(other.num, self.den)),
                      ring_mul(self.den, other.den))

    def __neg__(self):
        return self * Number.rational(-1)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        if not (self.exact and other.exact):
            return Number(value=self.decimal() * other.decimal())
        return Number(ring_mul(self.num, other.num), ring_mul(self.den, other.den))

    def __truediv__(self, other):
        if other.exact and not other.num:
            raise Unknown("division by zero")
        if not (self.exact and other.exact):
            return Number(value=self.decimal() / other.decimal())
        return Number(ring_mul(self.num, other.den), ring_mul(self.den, other.num))

    def __pow__(self, k):
        base = self if k >= 0 else Number.rational(1) / self
        out = Number.rational(1)
        for _ in range(abs(k)):
            out = out * base
        return out

    def equals(self, other):
        if not (self.exact and other.exact):
            raise Unknown("equality of irrational roots or logarithms")
        return ring_mul(self.num, other.den) == ring_mul(other.num, self.den)

    def sign_of_difference(self, other):
        if self.exact and other.exact and self.equals(other):
            return 0
        gap = self.decimal() - other.decimal()
        if not gap.is_finite() or abs(gap) <= MARGIN:
            raise Unknown("too near to call: %s" % gap)
        return 1 if gap > 0 else -1


def exponential(x):
    try:
        return Number.exponential(x.fraction())
    except Unknown:
        return Number(value=x.decimal().exp())


def positive(x):
    value = x.decimal()
    if value <= MARGIN:
        raise Unknown("root or logarithm of %s" % value)
    return value


# ---- Expressions -----------------------------------------------------------------------------

TOKEN = re.compile(r"\s*(\d+\.\d+|\d+|[a-z]+|[-+*/^()])")


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise Unknown("cannot read %r at %d" % (text, at))
            self.tokens.append(match.group(1))
            at = match.end()
        self.tokens.append("")
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self, token=None):
        here = self.tokens[self.at]
        if token is not None and here != token:
            raise Unknown("expected %r, found %r" % (token, here))
        self.at += 1
        return here

    def whole(self):
        value = self.sum()
        self.take("")
        return value

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self):
        value = self.signed()
        while self.peek() in ("*", "/"):
            value = value * self.signed() if self.take() == "*" else value / self.signed()
        return value

    def signed(self):
        if self.peek() == "-":
            self.take()
            return -self.signed()
        return self.power()

    def power(self):
        base_is_e = self.peek() == "e"
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        exponent = (-self.atom() if self.peek() == "-" and self.take() else self.atom()).fraction()
        if base_is_e:
            return Number.exponential(exponent)
        if exponent.denominator != 1 or abs(exponent) > 4096:
            raise Unknown("power %s" % exponent)
        return base ** int(exponent)

    def atom(self):
        token = self.take()
        if token == "(":
            value = self.sum()
            self.take(")")
            return value
        if token == "e":
            return Number.exponential(1)
        if token in ("exp", "log", "sqrt"):
            self.take("(")
            value = self.sum()
            self.take(")")
            if token == "exp":
                return exponential(value)
            number = positive(value)
            return Number(value=number.ln() if token == "log" else number.sqrt())
        if re.fullmatch(r"\d+(\.\d+)?", token):
            return Number.rational(Fraction(token))
        raise Unknown("unexpected %r" % token)


def expression(text):
    return Parser(text).whole()


def fractions(value):
    return [fractions(v) for v in value] if isinstance(value, list) else Fraction(value)


def matrix(text):
    """Nested lists of fractions from "[[1/2, 0], [-3, 1]]" or "[1, 2]"."""
    return fractions(json.loads(re.sub(r"-?\d+(/\d+)?", lambda m: '"%s"' % m.group(0), text)))


# ---- Kinds of facts ----------------------------------------------------------------------------


def digits(value):
    """DIGITS significant digits as an integer and a power of ten, "0" for an exact 0."""
    if value.exact and not value.num:
        return "0"
    number = value.decimal()
    shift = DIGITS - 1 - number.adjusted()
    rounded = number.scaleb(shift).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    if len(rounded.as_tuple().digits) > DIGITS:
        shift -= 1
        rounded = number.scaleb(shift).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return "%de%d" % (rounded, -shift)


def check_relation(fact):
    for side in ("left", "right"):
        if fact[side + "_value"] != digits(expression(fact[side])):
            return False
    sign = expression(fact["left"]).sign_of_difference(expression(fact["right"]))
    return {"=": sign == 0, "!=": sign != 0, "<": sign < 0, ">": sign > 0, "<=": sign <= 0,
            ">=": sign >= 0}[fact["relation"]]


def weights(fact, logits, factors, visible):
    """Normalised weights of one row, before gates."""
    n = len(logits)
    kind = fact["normaliser"]
    if kind == "relu2":
        return [Number.rational(max(l, 0) ** 2 / n if v else 0) for l, v in zip(logits, visible)]
    raw = [Number.rational(f) * Number.exponential(l) if v else Number.rational(0)
           for l, f, v in zip(logits, factors, visible)]
    total = Number.rational(0)
    for w in raw:
        total = total + (w * w if kind == "l2" else w)
    if not any(visible):
        return raw
    if kind == "l2":
        total = Number(value=positive(total).sqrt())
    return [w / total for w in raw]


def neutral(part, normaliser):
    """visible holds 0 and 1, and what does not count is 0 (logits, extra) or 1 (factors, gates)."""
    for i, row in enumerate(part["visible"]):
        for j, seen in enumerate(row):
            if seen not in (0, 1):
                return False
            if not seen and (part["logits"][i][j], part["extra"][i][j], part["factors"][i][j],
                             part["gates"][i][j]) != (0, 0, 1, 1):
                return False
            if normaliser == "relu2" and part["factors"][i][j] != 1:
                return False
    return True


def check_rows(fact):
    part = {k: matrix(fact[k]) for k in ("X", "logits", "factors", "gates", "visible", "extra",
                                         "mixing")}
    if not neutral(part, fact["normaliser"]):
        return False
    stated = [[expression(c) for c in row.split(",")] for row in fact["rows"].split(";")]
    X, n, d = part["X"], len(part["X"]), len(part["X"][0])
    mixed = [[sum(X[j][l] * part["mixing"][l][k] for l in range(d)) for k in range(d)]
             for j in range(n)]
    for i in range(n):
        row = weights(fact, part["logits"][i], part["factors"][i], part["visible"][i])
        for k in range(d):
            value = Number.rational(X[i][k])
            for j in range(n):
                value = value + row[j] * Number.rational(
                    part["gates"][i][j] * (mixed[j][k] + part["extra"][i][j]))
            if value.exact:
                if not value.equals(stated[i][k]):
                    return False
            elif abs(value.decimal() - stated[i][k].decimal()) > MARGIN:
                return False
    return True


def check_toeplitz_sums(fact):
    n, c = int(fact["n"]), matrix(fact["c"])
    scale = Fraction(fact["scale"])
    sums = [scale * sum(c[i - j + n - 1] for j in range(n)) for i in range(n)]
    return len(c) == 2 * n - 1 and sums == matrix(fact["sums"])


KINDS = {"relation": check_relation, "rows": check_rows, "toeplitz-sums": check_toeplitz_sums}


def check_claim(claim):
    """(facts that hold, messages)."""
    good, messages = 0, []
    for fact in claim.get("facts", []):
        try:
            if fact["kind"] not in KINDS:
                raise Unknown("kind %s" % fact["kind"])
            if KINDS[fact["kind"]](fact):
                good += 1
            else:
                messages.append("%s: %s: does not hold" % (claim["id"], fact["label"]))
        except (Unknown, KeyError, ValueError, IndexError, ZeroDivisionError, ArithmeticError) as error:
            messages.append("%s: %s: %s %s" % (claim["id"], fact.get("label"),
                                               type(error).__name__, error))
    if claim["verdict"] == "REFUTED":
        if not claim.get("facts"):
            messages.append("%s: refuted without a fact to recompute" % claim["id"])
        if not claim.get("witness"):
            messages.append("%s: refuted without a witness" % claim["id"])
    return good, messages


def sound(text):
    """The checksum in the last line is that of the bytes before it."""
    body, mark, rest = text.rpartition(b',\n "crc32": "')
    return bool(mark) and rest == b'%08x"\n}\n' % zlib.crc32(body)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(arguments[1], "rb") as file:
            text = file.read()
        claims = json.loads(text.decode("utf-8"))["claims"]
    except (OSError, ValueError, KeyError) as error:
        print("recheck: %s: %s" % (arguments[1], error), file=sys.stderr)
        return 2
    total, failures = 0, [] if sound(text) else ["checksum: the file is not as it was written"]
    for claim in claims:
        good, messages = check_claim(claim)
        total += good
        failures += messages
    for message in failures:
        print(message)
    print("%d claims, %d facts recomputed, %d failures" % (len(claims), total, len(failures)))
    return 1 if failures or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
