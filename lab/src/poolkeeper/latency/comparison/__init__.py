"""Two runs compared: what differs by more than chance explains, by how much, and what could have been seen."""
