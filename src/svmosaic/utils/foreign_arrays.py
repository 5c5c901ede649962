"""Arrays of other libraries that share their memory by DLPack: PyTorch's tensors, CuPy's arrays.

No such library is imported here unless one of its arrays came.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

__all__ = ["follow", "gpu_number", "is_foreign", "require_host", "to_host"]

# The codes of DLPack for memory of the host, pinned or not.
_HOST = (1, 3)


def is_foreign(values: Any) -> bool:
    """Return whether an object is an array that shares its memory by DLPack and is not NumPy's."""
    return (
        hasattr(values, "__dlpack__")
        and hasattr(values, "__dlpack_device__")
        and not isinstance(values, np.ndarray | np.generic)
    )


def gpu_number(values: Any) -> int | None:
    """Return the number of the GPU whose memory an array is in; None if it is in the host's."""
    if not is_foreign(values):
        return None
    kind, number = values.__dlpack_device__()
    return None if int(kind) in _HOST else int(number)


def to_host(values: Any) -> Any:
    """Return an array of another library as one of NumPy, without a copy if it is in the host.

    Anything else comes back as it is.
    """
    if not is_foreign(values):
        return values
    if hasattr(values, "detach"):
        # A tensor of PyTorch; NumPy has no bfloat16.
        values = values.detach().cpu()
        return (values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy()
    if gpu_number(values) is None:
        return np.asarray(values) if hasattr(values, "__array__") else np.from_dlpack(values)
    if hasattr(values, "get"):
        return values.get()
    torch = importlib.import_module("torch")
    return torch.from_dlpack(values).cpu().numpy()


def follow(result: Any, values: Any) -> Any:
    """Return a result of NumPy as an array of the library and in the memory of `values`.

    PyTorch and CuPy have numbers only: strings stay NumPy's, as does everything that was computed
    from arrays of other libraries.
    """
    if not is_foreign(values) or result.dtype.kind not in "biuf":
        return result
    library = type(values).__module__.partition(".")[0]
    if library == "torch":
        torch = importlib.import_module("torch")
        return torch.as_tensor(np.ascontiguousarray(result), device=values.device)
    if library == "cupy":
        cupy = importlib.import_module("cupy")
        with values.device:
            return cupy.asarray(result)
    return result


def require_host(who: str, *arrays: Any) -> None:
    """Raise if an array is in the memory of a GPU.

    Raises
    ------
    TypeError
        With one sentence that says what to do.
    """
    for values in arrays:
        number = gpu_number(values)
        if number is not None:
            raise TypeError(
                f"{who} computes on the CPU and expected arrays in its memory. Got one on GPU "
                f"{number} instead; pass a copy (X.cpu() of PyTorch, X.get() of CuPy), or use an "
                "estimator that computes there, as OLLAWVClassifier."
            )
