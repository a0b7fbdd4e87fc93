"""Real servers of a topology, each in its own CPU quota: configured, started, checked, resized, measured, stopped."""
