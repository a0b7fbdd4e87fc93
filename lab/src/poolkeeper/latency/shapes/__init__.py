"""What the distribution of one run looks like: histogram, density, empirical distribution."""
