"""`tools/mxk overview`, which is `make bench`: what MXK does on this machine, in minutes, as one page."""
