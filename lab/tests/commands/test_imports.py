"""Output of a process of its own: modules that the first answer does not wait for, and text for a plain terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from result_files import steady

if TYPE_CHECKING:
    from pathlib import Path

SLOW = {"dask", "distributed", "pandas", "pyarrow", "matplotlib", "jinja2", "scipy.stats"}
SCRIPT = """
import sys
from poolkeeper.cli import main
try:
    main()
except SystemExit as ended:
    loaded = {part for name in sys.modules for part in (name.split(".")[0], ".".join(name.split(".")[:2]))}
    print("loaded", ended.code, *sorted(loaded), file=sys.stderr)
"""


def test_a_small_analysis_imports_nothing_that_is_slow(tmp_path: Path) -> None:
    file = steady(tmp_path / "small.jtl", count=2000)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "analyze", str(file)], capture_output=True, text=True, check=True
    )
    assert "Tail: " in done.stdout
    first, code, *loaded = done.stderr.split()
    assert (first, code) == ("loaded", "None")
    assert {"polars", "scipy.special"} <= set(loaded)
    assert not SLOW & set(loaded)


def test_a_terminal_without_dashes_and_bars_gets_the_rest(tmp_path: Path) -> None:
    file = steady(tmp_path / "small.jtl", count=2000)
    for form, expected in (([], "Tail: "), (["--json"], '"verdict"')):
        done = subprocess.run(
            [sys.executable, "-m", "poolkeeper", "analyze", str(file), *form],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"},
        )
        assert expected in done.stdout.decode("ascii")
