"""The wind tunnel: has controllers judged on simulated pools, and explains what came out.

The runs are made by Java (testbed/tunnel), which leaves results.csv, curves.csv and tunnel.json in a folder; everything
here is made from these files alone, so that the page can be made again at any time.
"""
