"""Families of distributions: densities, probabilities and quantiles as functions of x and the parameters."""
