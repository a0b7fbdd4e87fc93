"""The command report on results that are no runs: their page, or the command that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import CommandLine


def folder_of(parent: Path, *files: str) -> Path:
    folder = parent / "results"
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "files", [("journal.jsonl", "plan.html", "servers/web.log"), ("online.json", "online.html", "defaults-1.json")]
)
def test_a_page_that_is_there_is_named(tmp_path: Path, poolkeeper: CommandLine, files: tuple[str, ...]) -> None:
    folder_of(tmp_path, *files)
    done = poolkeeper(tmp_path, "report results")
    assert (done.code, done.out, done.err) == (0, f"page: results/{files[1]}\n", "")
    assert poolkeeper(tmp_path, "report results results").out.count("page: ") == 2
    done = poolkeeper(tmp_path, "report results -o page.html")
    assert (done.code, done.err) == (2, "poolkeeper: --output page.html: results has its page already\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            ("journal.jsonl", "servers/web.log"),
            "holds results of 'plan', which did not come to its end and has no page; ./poolkeeper plan TOPOLOGY",
        ),
        (
            ("online.json", "defaults-1/servers/web.log"),
            "holds results of 'online', which did not come to its end and has no page; ./poolkeeper online FILE",
        ),
        (
            ("servers/web.log", "trial-001/trial.json"),
            "holds results of 'tiers', which has no page; figures are in results/trial-001/trial.json, logs and conf",
        ),
        (
            ("servers/web.log",),
            "holds results of 'tiers', which has no page; logs and configurations in results/servers",
        ),
        (
            ("held-pool-0123456789ab.json",),
            "holds results of 'sweep'; ./poolkeeper sweep MODEL... --resume -o results shows them, and --report",
        ),
        (("notes.json",), "holds no run (no run.json in it or below)"),
    ],
)
def test_results_without_a_page_are_named_with_their_command(
    tmp_path: Path, poolkeeper: CommandLine, files: tuple[str, ...], message: str
) -> None:
    folder_of(tmp_path, *files)
    done = poolkeeper(tmp_path, "report results")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"poolkeeper: results: {message}")
