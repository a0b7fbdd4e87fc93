"""Experiments, analysis and reports for pools that size themselves."""

__version__ = "0.1.0"
