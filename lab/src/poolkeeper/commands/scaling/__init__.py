"""The commands usl and capacity: how a service scales, from load tests at several levels of load."""
