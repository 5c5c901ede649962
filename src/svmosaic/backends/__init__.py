"""Where problems are solved: the compiled core, and a readable twin in NumPy."""
