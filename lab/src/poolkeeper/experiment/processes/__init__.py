"""The processes of a run, servers, databases and load generators: how they start, speak and end."""
