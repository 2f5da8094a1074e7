# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs: folders that `attest fit`, `energy`, `sweep` and `reproduce` write."""
import csv
import json
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from ._program import options, run


class Figure:
    """One drawing of a run, shown inline in a notebook.

    Attributes:
        path: its SVG file; its data and gnuplot script lie beside it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def svg(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({str(self.path)!r})"


def _cell(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def table(path: Union[str, Path]) -> Any:
    """A tab-separated table of a run: a pandas.DataFrame where pandas is installed, else a dictionary
    of columns, each a list."""
    try:
        import pandas
        return pandas.read_csv(path, sep="\t")
    except ImportError:
        pass
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {name: [_cell(row[c]) for row in rows[1:]] for c, name in enumerate(rows[0])}


class Run:
    """A folder that a command wrote.

    Attributes:
        path: the folder.
        config: the whole resolved configuration; `attest fit --config` replays it.
        summary: what the command found.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        self.config = self._document("config.json")
        self.summary = self._document("summary.json")

    def _document(self, name: str) -> Dict[str, Any]:
        return json.loads((self.path / name).read_text(encoding="utf-8"))

    @property
    def metrics(self) -> Any:
        """The table metrics.tsv; units are in the columns' names."""
        return table(self.path / "metrics.tsv")

    @property
    def model(self) -> Optional[Path]:
        """The stored weights, None where the run has none."""
        path = self.path / "model.safetensors"
        return path if path.exists() else None

    @property
    def figures(self) -> List[str]:
        """Names that `figure` takes."""
        return sorted(path.stem for path in self.path.glob("*.svg"))

    def figure(self, name: Optional[str] = None) -> Figure:
        """A drawing by name; without one, the run's only drawing or its training curves."""
        names = self.figures
        if name is None:
            name = names[0] if len(names) == 1 else "training"
        if name not in names:
            raise KeyError(f"{self.path} has the figures {', '.join(names) or 'none'}")
        return Figure(self.path / f"{name}.svg")

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"


def _run(command: str, out: Optional[str], given: Dict[str, Any]) -> Run:
    folder = out if out is not None else tempfile.mkdtemp(prefix=f"attest-{command}-")
    # A folder made here is empty, but exists.
    run([command, *options(out=folder, quiet=True, **given)])
    return Run(folder)


def fit(out: Optional[str] = None, **given: Any) -> Run:
    """Fits one model; the keywords are the options of `attest fit`.

    Args:
        out: folder of the run; without it, one under the system's temporary folder.
        given: task="pi", n=8, encoding="urpe", steps=200, ...

    >>> run = fit(task="pi", n=4, vocab=3, d=8, heads=2, ffn=8, layers=1, steps=2)
    >>> run.summary["steps"]
    2
    """
    return _run("fit", out, given)


def energy(out: Optional[str] = None, **given: Any) -> Run:
    """Runs documents through energy layers; the keywords are the options of `attest energy`.

    >>> run = energy(documents=2, layers=2)
    >>> run.summary["rising"]
    0
    """
    return _run("energy", out, given)


def evaluate(model: Union[str, Path], **given: Any) -> Dict[str, Any]:
    """What a stored model scores: the document of `attest eval`."""
    return run(["eval", *options(model=model, **given)])
