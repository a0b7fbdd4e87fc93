"""Kinds of servers, one class each, and the ways to ask them."""
