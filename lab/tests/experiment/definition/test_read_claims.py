"""Claims of an experiment and the published figures it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from experiment_files import GOOD, read, refusal

from poolkeeper.experiment.definition.read import read_experiment
from poolkeeper.experiment.definition.write import resolved
from poolkeeper.study import PUBLISHED

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS = """claims:
  - {claim: More is more, source: A paper, of: fixed-2, to: fixed-1, where: {application: prime1m, users: 3}, above: 1}
  - {claim: And again, figure: p99, of: own, to: [fixed-1, fixed-2], below: 1.5}
published: figures.csv
"""


def test_claims_and_published_figures_are_read_and_written_back(tmp_path: Path) -> None:
    (tmp_path / "figures.csv").write_text("variant,mean_ms\nown,1\n", encoding="utf-8")
    experiment = read(tmp_path, GOOD + CLAIMS)
    assert [claim.figure for claim in experiment.claims] == ["throughput", "p99"]
    assert experiment.claims[0].where == {"application": ("prime1m",), "users": ("3",)}
    (tmp_path / PUBLISHED).write_bytes((tmp_path / "figures.csv").read_bytes())
    (tmp_path / "experiment.yaml").write_text(resolved(experiment), encoding="utf-8")
    again = read_experiment(tmp_path / "experiment.yaml")
    assert (again.name, again.claims) == ("asked", experiment.claims)


@pytest.mark.parametrize(
    ("good", "bad", "line", "output"),
    [
        ("of: fixed-2", "of: fixed-3", 11, "claims[1].of: unknown variant 'fixed-3'; did you mean 'fixed-2'?"),
        ("of: fixed-2", "of: fixd-*", 11, "claims[1] needs one * in each name of `of` and `to`, or"),
        ("users: 3}", "user: 3}", 11, "claims[1].where: unknown axis 'user'; did you mean 'users'?"),
        ("users: 3}", "users: 4}", 11, "claims[1].where.users: unknown users '4'; known: 3"),
        ("figure: p99", "figure: p98", 12, "claims[2].figure: unknown value 'p98'; did you mean 'p99'?"),
        (", below: 1.5", "", 12, "claims[2] needs above or below: the ratio that it claims"),
        ("below: 1.5", "belo: 1.5", 12, "unknown setting 'belo'; did you mean 'below'?"),
        ("claim: And again", "claim: More is more", 10, "claims say twice: More is more"),
        ("figures.csv", "nothing.csv", 13, "published: there is no file "),
    ],
)
def test_what_is_wrong_in_claims_is_told_with_its_line(
    tmp_path: Path, good: str, bad: str, line: int, output: str
) -> None:
    (tmp_path / "figures.csv").write_text("variant,mean_ms\nown,1\n", encoding="utf-8")
    message = refusal(tmp_path, (GOOD + CLAIMS).replace(good, bad))
    assert message.startswith(f":{line}: ")
    assert output in message
