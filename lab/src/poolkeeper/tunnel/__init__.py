"""The wind tunnel: judges controllers on simulated pools, and explains the results.

The runs are made by Java (testbed/tunnel), which leaves results.csv, curves.csv and tunnel.json in a folder; everything
here is made from these files alone, so that the page can be made again at any time.
"""
