"""Comparison of ways to size the pools of a real system while its load, its requests and its hardware change."""
