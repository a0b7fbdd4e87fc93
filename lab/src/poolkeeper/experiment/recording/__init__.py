"""What the lab itself writes into a run record: run.json, and what processes and machine did."""
