"""Shape of the distribution of one run: histogram, density, empirical distribution."""
