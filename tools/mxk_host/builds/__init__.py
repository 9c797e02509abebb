"""`tools/mxk compare-builds` and `compare-instructions`: an older build of MXK and this one, row by row."""
