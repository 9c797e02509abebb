"""Recorded workloads: traces read, written, made of what others record, and replayed. Format: docs/bench-trace.md."""
