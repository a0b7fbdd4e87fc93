"""What runs measured: figures, costs, sizes of pools, and what charts draw of them."""
