"""Loads that do not count, until throughput is steady."""
