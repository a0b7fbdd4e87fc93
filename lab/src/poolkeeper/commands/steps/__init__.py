"""Levels of a test whose load changed: found, shown, and compared with those of another test."""
