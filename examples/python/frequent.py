"""Which numbers occur how often among many random ones, the first five: frequent.py [ROWS]"""

import sys

import mxk
import numpy

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
keys = numpy.random.default_rng(1).zipf(1.5, rows)
table = mxk.Table()
table.add(keys, 1)
values, counts = table.items()
order = numpy.argsort(-counts)[:5]
print(f"{rows} rows, {len(table)} different numbers")
for value, count in zip(values[order], counts[order], strict=True):
    print(value, count)
