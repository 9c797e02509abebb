"""Runs that were kept or captured: their rows read, understood, and compared with those of another run."""
