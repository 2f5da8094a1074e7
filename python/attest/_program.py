# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the program attest and reads the JSON document that it prints."""
import json
import os
import shutil
import subprocess
from typing import Any, Dict, Iterable, List, Optional

STATUS_UNEXPECTED = 1   # a verdict other than expected, a floor beaten: an answer, not a failure


class AttestError(RuntimeError):
    """The program refused or failed.

    Attributes:
        status: its exit status: 2 wrong usage, 3 bad input, 4 the environment failed.
        message: what it said on standard error.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message or f"attest ended with status {status}")
        self.status = status
        self.message = message


def program() -> str:
    """Path of the program: the environment's ATTEST, else `attest` on the search path."""
    found = os.environ.get("ATTEST") or shutil.which("attest")
    if found is None:
        raise AttestError(4, "attest is not on the search path; install it, or set ATTEST to its path")
    return found


def options(**given: Any) -> List[str]:
    """Command-line options from keyword arguments.

    An underscore becomes a hyphen; True a flag; None and False are left out; of a list each element
    is an option of its own. The number of tokens, n, has only its short form in every command.

    >>> options(task="pi", n=8, as_released=True, quiet=False, grid=["n=8,16", "d=4"])
    ['--task=pi', '-n8', '--as-released', '--grid=n=8,16', '--grid=d=4']
    """
    words = []
    for name, value in given.items():
        flag = "-n" if name == "n" else "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.append(f"{flag}{one}" if flag == "-n" else f"{flag}={one}")
    return words


def run(arguments: Iterable[str], cwd: Optional[str] = None) -> Dict[str, Any]:
    """The document that `attest ARGUMENTS --json` prints.

    Raises:
        AttestError: status 2, 3 or 4, or an interrupt.
    """
    done = subprocess.run([program(), *arguments, "--json"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", cwd=cwd, check=False)
    if done.returncode not in (0, STATUS_UNEXPECTED):
        raise AttestError(done.returncode, done.stderr.strip())
    return json.loads(done.stdout)
