"""`tools/mxk trace show`: timelines that a kernel or a Linux program has dumped (docs/timeline.md), for a browser."""
