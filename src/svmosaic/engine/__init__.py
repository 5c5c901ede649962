"""Everything between an estimator and the loops that solve its problems."""
