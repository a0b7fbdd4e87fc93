"""Files that people wrote, also while a build beside deletes folders."""

import shutil
from pathlib import Path

from sources import sources


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x", encoding="utf-8")


def test_are_found_in_order_and_not_where_tools_write(tmp_path: Path) -> None:
    write(
        tmp_path, "b/src/B.java", "a/A.java", "pom.xml", "a/target/C.java", "node_modules/d.js", ".poolkeeper/e/pom.xml"
    )
    assert [str(path.relative_to(tmp_path)) for path in sources(tmp_path)] == ["pom.xml", "a/A.java", "b/src/B.java"]


def test_a_folder_that_goes_away_meanwhile_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a/A.java", "b/B.java", "c/C.java")
    found = sources(tmp_path)
    assert next(found).name == "A.java"
    shutil.rmtree(tmp_path / "b")
    assert [path.name for path in found] == ["C.java"]
