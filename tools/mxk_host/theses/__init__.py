"""`tools/mxk theses`: what five works say, simulated on their machines and judged. Their statements are data:
tools/theses/*.toml."""
