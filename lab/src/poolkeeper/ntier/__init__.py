"""Pools of a system of several tiers: its topology, its model and its real servers, and the allocator of all pools."""
