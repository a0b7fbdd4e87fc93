"""Several servers behind nginx: its configuration, its process, and the requests that no server answered."""
