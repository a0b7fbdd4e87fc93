"""Runs experiments: reads what they ask, starts what they need, shows how they go, and records what was measured."""
