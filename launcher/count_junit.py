"""Sums up JUnit XML reports: prints how many tests passed, failed and were skipped, then the failed ones by name."""

import sys
import xml.etree.ElementTree as ET


def main(paths: list[str]) -> None:
    """Print the three sums of the reports on a line, and each failed test on a line of its own."""
    passed = skipped = 0
    failed = []
    for path in paths:
        # Cases and not the suite's own sums: those of Surefire leave out nested classes and all engines but one.
        for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314 - written by our own test runs
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(f"{case.get('classname', '')} {case.get('name', '')}".strip())
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    sys.stdout.write("\n".join([f"{passed} {len(failed)} {skipped}", *failed]) + "\n")


main(sys.argv[1:])
