"""The lab's own files of a run record: run.json, and the use of processes and machine."""
