"""The sections of a report on a run, one file each."""
