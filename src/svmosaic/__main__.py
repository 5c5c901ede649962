"""Run the command line as ``python -m svmosaic``."""

from __future__ import annotations

import sys

from svmosaic.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
