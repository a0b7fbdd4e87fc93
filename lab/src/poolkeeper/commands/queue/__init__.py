"""The command queue: which queueing model is asked, with what, how large it must be, and what would change it."""
