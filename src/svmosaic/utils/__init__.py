"""Small helpers that import nothing else of svmosaic."""
