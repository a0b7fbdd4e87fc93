"""Allocation of all soft resources of a topology: algorithm 1, step by step, each decision by a stated test.

The algorithm follows Wang, Malkowski, Kanemasa, Jayasinghe, Pu, Kawaba: The impact of soft resource allocation on
n-tier application scalability, IPDPS 2011, and its successors.
"""
