"""A page whose blocks are run: Python statements in one namespace, commands, and below each what it shows.

`python -m documented PAGE` writes the outputs anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from poolkeeper.cli import main

_BLOCK = re.compile(r"```(python|console)\n(.*?)```\n(?:\n?```text\n(.*?)```\n)?", re.DOTALL)


def printed(code: str, names: dict[str, Any]) -> str:
    """Run statements; the value of the last one, if it is an expression, as text."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "page", "exec"), names)  # noqa: S102 - the page is ours
    if not isinstance(last, ast.Expr):
        return ""
    value = eval(compile(ast.Expression(last.value), "page", "eval"), names)  # noqa: S307 - likewise
    return f"{value}\n"


def output_of(command: str) -> str:
    """Output of a command of poolkeeper."""
    words = command.removeprefix("$ ").split()
    assert words[0] == "poolkeeper"
    before, out = sys.argv, io.StringIO()
    sys.argv = words
    try:
        with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = before
    return out.getvalue()


def run(page: str) -> str:
    """The page with what its blocks show now, run in a new folder."""
    names: dict[str, Any] = {}

    def block(found: re.Match[str]) -> str:
        kind, code = found[1], found[2]
        text = printed(code, names) if kind == "python" else "".join(map(output_of, code.strip().splitlines()))
        text = "\n".join(line.rstrip() for line in text.splitlines())
        return f"```{kind}\n{code}```\n" + (f"```text\n{text}\n```\n" if text else "")

    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return _BLOCK.sub(block, page)
        finally:
            os.chdir(here)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(run(document.read_text(encoding="utf-8")), encoding="utf-8")
