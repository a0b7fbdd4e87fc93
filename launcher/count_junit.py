"""Sums up JUnit XML reports: prints how many tests passed, failed and were skipped."""

import sys
import xml.etree.ElementTree as ET

passed = failed = skipped = 0
for path in sys.argv[1:]:
    for suite in ET.parse(path).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        out = int(suite.get("skipped", 0))
        passed += int(suite.get("tests", 0)) - bad - out
        failed += bad
        skipped += out
print(passed, failed, skipped)
