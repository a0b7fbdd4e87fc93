"""Definition of an experiment: its file, read and checked, and the variants that it names."""
