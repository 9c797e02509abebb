"""`python -m mxk_host`: what tools/mxk starts."""

import sys

from mxk_host.cli import app
from mxk_host.errors import DriverError

try:
    app(prog_name="tools/mxk")
except DriverError as error:
    print(f"tools/mxk: {error}", file=sys.stderr)
    sys.exit(error.code)
