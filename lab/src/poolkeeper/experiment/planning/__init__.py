"""What an experiment runs and in which order, and what of it was run before."""
