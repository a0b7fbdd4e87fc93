"""Result files of load tests: what JMeter, k6, wrk and others wrote, of any size, as one kind of rows."""

from tidepool.results.errors import FileError
from tidepool.results.findings import Finding
from tidepool.results.read import FORMATS, read
from tidepool.results.results import Results
from tidepool.results.series import Series
from tidepool.results.stated import Stated
from tidepool.results.survey import Survey

__all__ = ["FORMATS", "FileError", "Finding", "Results", "Series", "Stated", "Survey", "read"]
