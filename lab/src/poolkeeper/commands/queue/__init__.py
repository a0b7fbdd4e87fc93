"""The command queue: models, their parameters, the size for a bound, and changes."""
