"""Figures of one run, each with the interval that holds the truth as often as it says, or why it has none."""
