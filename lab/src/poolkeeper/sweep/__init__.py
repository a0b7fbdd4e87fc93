"""Plays a model of a service with many settings, on this machine or a cluster, and lays the results side by side."""
