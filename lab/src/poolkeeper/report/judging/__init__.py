"""What the figures say: differences beyond noise, claims, standings, and what others published."""
