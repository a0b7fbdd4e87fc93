"""Sums up JUnit XML reports: prints how many tests passed, failed and were skipped."""

import sys
import xml.etree.ElementTree as ET


def main(paths: list[str]) -> None:
    """Print the three sums of the reports."""
    passed = failed = skipped = 0
    for path in paths:
        # Cases and not the suite's own sums: those of Surefire leave out nested classes and all engines but one.
        for case in ET.parse(path).getroot().iter("testcase"):  # noqa: S314 - written by our own test runs
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    sys.stdout.write(f"{passed} {failed} {skipped}\n")


main(sys.argv[1:])
