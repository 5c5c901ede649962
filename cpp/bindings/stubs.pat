# What the stub of the compiled module begins with; see `make stubs`.
svmosaic._core.__prefix__:
    from typing import Any, Literal
    from svmosaic.engine.problem import DoubleArray, FloatArray, IndexArray

