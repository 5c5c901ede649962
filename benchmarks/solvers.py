"""The family of solvers beside scikit-learn's SVC and scikit-learn-intelex.

    python benchmarks/solvers.py [the options of classification.py]

The same data, parameters and clock as classification.py. SVC and smo solve the same problem; mnsvm
and nnisda the one with squared loss; nlsgd and olla_l2 are approximate.
"""

from __future__ import annotations

from classification import SOLVERS, main

if __name__ == "__main__":
    main(("svc", "intelex", *SOLVERS))
