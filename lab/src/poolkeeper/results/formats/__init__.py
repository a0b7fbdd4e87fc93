"""One module a format of result files (or a tool with several): how it is recognised, and how its rows are read."""
