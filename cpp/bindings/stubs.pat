# What the stub of the compiled module begins with; see `make stubs`.
svmosaic._core.__prefix__:
    from typing import Any, Literal
    import numpy as np
    import numpy.typing as npt

    DoubleArray = npt.NDArray[np.float64]
    FloatArray = npt.NDArray[np.floating[Any]]
    IndexArray = npt.NDArray[np.int64]
    SingleArray = npt.NDArray[np.float32]

