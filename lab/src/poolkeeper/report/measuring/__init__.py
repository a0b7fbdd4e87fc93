"""Measurements of runs: figures, costs, sizes of pools, and the data of charts."""
