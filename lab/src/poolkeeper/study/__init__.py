"""Definitions that experiments and reports share: the files of a study, its claims, and published figures."""

RESOLVED = "experiment.yaml"
"""Name of the file that holds an experiment as it was run, in the folder of its results."""
PUBLISHED = "published.csv"
"""Name of the copy of the published figures in the folder of the results."""
