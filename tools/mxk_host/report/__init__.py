"""`tools/mxk report`: the rows of runs as one HTML page with plots, which needs no network to be looked at."""
