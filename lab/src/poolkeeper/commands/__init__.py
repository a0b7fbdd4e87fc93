"""The commands that analyse results and models: what they compute is said on the terminal, as JSON, or on a page."""
