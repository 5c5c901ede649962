"""The engine on PyTorch: exact support vector machines on a GPU.

Nothing here imports PyTorch before a device is asked for; `devices.engine_on` does. The same code
runs on PyTorch's CPU device (``"torch:cpu"``), which is how it is tested without a GPU.
"""
