"""Judgement of the figures: differences beyond noise, claims, standings, and published figures."""
