"""Runs experiments: reads their files, starts their processes, shows progress, and records the measurements."""
