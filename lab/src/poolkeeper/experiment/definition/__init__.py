"""What an experiment states: its file, read and checked, and the variants that it names."""
