"""Experiments on a disk: pools that work on real files, one process a run, and no server or load."""
