"""Runs of an experiment in their order, and earlier ones among them."""
