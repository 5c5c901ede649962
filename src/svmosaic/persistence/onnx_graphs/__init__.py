"""Fitted models as graphs of ONNX, the exchange format of neural networks, from plain operators."""
