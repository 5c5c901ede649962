"""Every solver once more in plain NumPy: no cache, no tricks, the oracle of the tests."""
