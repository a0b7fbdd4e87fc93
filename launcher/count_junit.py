"""Sums up JUnit XML reports: prints how many tests passed, failed and were skipped."""

import sys
import xml.etree.ElementTree as ET


def main(paths: list[str]) -> None:
    """Print the three sums of the reports."""
    passed = failed = skipped = 0
    for path in paths:
        for suite in ET.parse(path).getroot().iter("testsuite"):  # noqa: S314 - written by our own test runs
            bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            out = int(suite.get("skipped", 0))
            passed += int(suite.get("tests", 0)) - bad - out
            failed += bad
            skipped += out
    sys.stdout.write(f"{passed} {failed} {skipped}\n")


main(sys.argv[1:])
