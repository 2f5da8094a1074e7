# SPDX-License-Identifier: GPL-3.0-or-later
"""Claims and their verdicts: `attest claims`, `attest verify`."""
from dataclasses import dataclass, field
from html import escape
from typing import Any, Dict, Iterator, List

from ._program import options, run


@dataclass(frozen=True)
class Claim:
    """A claim, decided or not.

    Attributes:
        id, statement, source, expected: as `attest claims` lists them.
        verdict: PROVED, CERTIFIED, REFUTED, UNDECIDED, or "" where it was only listed.
        scope: what the verdict holds for.
        steps: of the decision, each with "name", "method", "verdict", "detail".
        document: everything that attest printed of it.
    """

    id: str
    statement: str
    source: str
    expected: str
    verdict: str = ""
    scope: str = ""
    steps: List[Dict[str, Any]] = field(default_factory=list)
    document: Dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one; UNDECIDED never is."""
        return bool(self.document.get("as_expected", False))


class Claims(List[Claim]):
    """A list of claims that a notebook shows as a table."""

    @property
    def as_expected(self) -> bool:
        return len(self) > 0 and all(claim.as_expected for claim in self)

    def __getitem__(self, key: Any) -> Any:
        """A claim by position or by id."""
        if isinstance(key, str):
            for claim in self:
                if claim.id == key:
                    return claim
            raise KeyError(key)
        return super().__getitem__(key)

    def rows(self) -> Iterator[Dict[str, Any]]:
        for claim in self:
            yield {"id": claim.id, "verdict": claim.verdict, "expected": claim.expected,
                   "source": claim.source, "scope": claim.scope, "statement": claim.statement}

    def frame(self) -> Any:
        """A pandas.DataFrame, a row a claim."""
        import pandas
        return pandas.DataFrame(list(self.rows()))

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td><code>{escape(claim.id)}</code></td><td>{escape(claim.verdict)}</td>"
                       f"<td>{escape(claim.statement)}</td></tr>" for claim in self)
        return f"<table><tr><th>claim</th><th>verdict</th><th>statement</th></tr>{rows}</table>"


def _read(document: Dict[str, Any]) -> Claims:
    return Claims(Claim(one["id"], one["statement"], one["source"], one["expected"],
                        one.get("verdict", ""), one.get("scope", ""), one.get("steps", []), one)
                  for one in document["claims"])


def claims(*patterns: str) -> Claims:
    """The claims whose ids match (`rpe.*`), all by default, undecided.

    >>> claims("urpe.solves-pi")[0].expected
    'PROVED'
    """
    return _read(run(["claims", *patterns]))


def verify(*patterns: str, budget: float = 0, search: bool = False) -> Claims:
    """Decides the claims that match, all by default.

    Args:
        budget: seconds a claim, 0: none.
        search: look for counterexamples of the refuted ones anew.

    >>> verify("urpe.solves-pi").as_expected
    True
    """
    return _read(run(["verify", *patterns, *options(budget=budget or None, search=search)]))
