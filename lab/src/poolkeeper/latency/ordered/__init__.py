"""Response times in the order of time: all of them, or counts of one stretch after another, and how they depend."""
