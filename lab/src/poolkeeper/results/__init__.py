"""Result files of JMeter, k6, wrk and other tools, of any size, as rows of one kind."""

from poolkeeper.results.errors import FileError
from poolkeeper.results.findings import Finding
from poolkeeper.results.read import FORMATS, read
from poolkeeper.results.results import Results
from poolkeeper.results.series import Series
from poolkeeper.results.survey import Survey
from poolkeeper.results.tool_summary import ToolSummary

__all__ = ["FORMATS", "FileError", "Finding", "Results", "Series", "Survey", "ToolSummary", "read"]
