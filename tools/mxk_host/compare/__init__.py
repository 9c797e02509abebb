"""`tools/mxk compare`: MXK and its peers on this machine, interleaved; and the figures that MXK is to reach."""
