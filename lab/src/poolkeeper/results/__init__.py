"""Result files of load tests: what JMeter, k6, wrk and others wrote, of any size, as one kind of rows."""

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding
from poolkeeper.results.read import FORMATS, read
from poolkeeper.results.results import Results
from poolkeeper.results.series import Series
from poolkeeper.results.survey import Survey
from poolkeeper.results.tool_summary import ToolSummary

__all__ = ["FORMATS", "FileError", "Finding", "Results", "Series", "Survey", "ToolSummary", "read"]
