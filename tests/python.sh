#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package: its doctests, what it makes of errors, and, where Python has venv, its installation
# without an index.
: "${PYTHON3:=python3}"
: "${top_builddir:=.}"
: "${ATTEST:=$top_builddir/attest}"
ATTEST=$(cd "$(dirname "$ATTEST")" && pwd)/$(basename "$ATTEST")
: "${top_srcdir:=.}"
export ATTEST
command -v "$PYTHON3" >/dev/null 2>&1 || { echo "no python3" >&2; exit 77; }
source_folder=$(cd "$top_srcdir/python" && pwd) || exit 1
version=$("$ATTEST" --version | sed -n '1s/.* //p')
grep -qx "version = \"$version\"" "$source_folder/pyproject.toml" || {
    echo "python/pyproject.toml has another version than the program's $version" >&2
    exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' 0
TMPDIR=$work
PYTHONDONTWRITEBYTECODE=1
export TMPDIR PYTHONDONTWRITEBYTECODE
failed=0

PYTHONPATH=$source_folder "$PYTHON3" -W error - <<'END' || failed=1
import doctest
import importlib
import sys

modules = ["attest"] + ["attest._" + name for name in ("program", "exact", "floor", "claims", "run")]
tried = 0
for name in modules:
    result = doctest.testmod(importlib.import_module(name))
    tried += result.attempted
    if result.failed:
        sys.exit(f"{name}: {result.failed} examples failed")
if tried < 10:
    sys.exit(f"only {tried} examples were found")

import attest
from fractions import Fraction

root = attest.floor("i*x[1] - i*x[1]^3", n=3).value
lower, upper = root.enclosure
square = Fraction(4, 27)   # 27 t^2 - 4
if not lower * lower < square < upper * upper:
    sys.exit(f"the enclosure {root.enclosure} does not hold the root of 27 t^2 - 4")
if not root > Fraction(1, 3) or not root < 1:
    sys.exit("an enclosure is on the wrong side")
try:
    attest.floor("i*x[", n=3)
    sys.exit("a broken formula raised nothing")
except attest.AttestError as error:
    if error.status != 2 or "i*x[" not in str(error):
        sys.exit(f"status {error.status}: {error}")
run = attest.fit(task="pi", n=4, vocab=3, d=8, heads=2, ffn=8, layers=1, steps=2)
if "<svg" not in run.figure()._repr_svg_() or len(run.metrics["step"]) != 2:
    sys.exit("a run without its figure or its metrics")
try:
    run.figure("none such")
    sys.exit("a figure that is not there was given")
except KeyError as error:
    pass
found = attest.verify("urpe.solves-pi", "opt.ffn")
if not found.as_expected or found["opt.ffn"].verdict != "PROVED" or "opt.ffn" not in found._repr_html_():
    sys.exit("verdicts were misread")
if attest.Claims().as_expected:
    sys.exit("no claims at all count as expected")
END

# A copy, for pip may write beside the sources.
if "$PYTHON3" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    cp -R "$source_folder" "$work/python" && chmod -R u+w "$work/python"
    if "$PYTHON3" -m venv "$work/venv" >"$work/log" 2>&1 &&
       "$work/venv/bin/pip" install --no-index "$work/python" >>"$work/log" 2>&1 &&
       (cd "$work" && "$work/venv/bin/python" -c 'import attest
assert "venv" in attest.__file__
assert attest.floor("position", n=5).value == 2') >>"$work/log" 2>&1; then
        :
    else
        cat "$work/log" >&2
        failed=1
    fi
fi
exit $failed
