"""`tools/mxk figure`: the figures of the thesis, measured and judged. Those of one program it measures itself (`bench
figure`); those that set two builds, or a peer, beside each other are put together here."""
