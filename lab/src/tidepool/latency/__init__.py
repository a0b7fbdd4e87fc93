"""What response times say: summaries, distributions, tails, and whether two runs differ."""
