"""A graph of ONNX in the making: nodes, constants, and the names that join them."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from svmosaic.utils.optional import import_optional

__all__ = ["INPUT", "Graph", "NotExportableError"]

# The name of the table of samples.
INPUT = "X"
# ONNX Runtime reads this set of operators since version 1.12.
_OPSET = 17
_IR_VERSION = 8
# The limit of Protocol Buffers, in which the files are written, less some room for the nodes.
_MOST_BYTES = 2_000_000_000


class NotExportableError(TypeError, ValueError):
    """A model that ONNX cannot hold; the message says why and what to do."""


class Graph:
    """A graph whose numbers have one type, float32 or float64.

    Methods return the name of the value that they add, for the inputs of later nodes.

    Parameters
    ----------
    dtype : numpy.dtype
        The type of samples, constants and results.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.onnx = import_optional("onnx", "export models to ONNX")
        self.dtype = dtype
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._counts = {"bytes": 0, "names": 0}

    def in_float64(self) -> Graph:
        """Return the same graph to add nodes of float64 to."""
        other = copy(self)
        other.dtype = np.dtype(np.float64)
        return other

    # Values ---------------------------------------------------------------------------------

    def numbers(self, values: Any) -> str:
        """Add constant numbers of the graph's type."""
        return self._constant(np.asarray(values, dtype=self.dtype))

    def integers(self, values: Any) -> str:
        """Add constant integers: indices, axes and shapes."""
        return self._constant(np.asarray(values, dtype=np.int64))

    def flags(self, values: Any) -> str:
        """Add constant truth values."""
        return self._constant(np.asarray(values, dtype=np.bool_))

    def labels(self, classes: Any) -> str:
        """Add class labels: integers, strings, truth values or numbers."""
        labels = np.asarray(classes)
        if labels.dtype.kind in "iu":
            labels = labels.astype(np.int64)
        elif labels.dtype.kind == "f":
            labels = labels.astype(np.float64)
        elif labels.dtype.kind == "U" or all(isinstance(label, str) for label in labels):
            labels = np.array([str(label).encode() for label in labels], dtype=object)
        elif labels.dtype.kind != "b":
            raise NotExportableError(
                "ONNX knows labels that are integers, strings, truth values or numbers. Got "
                f"labels such as {labels[0]!r}; fit with sklearn.preprocessing.LabelEncoder's "
                "numbers."
            )
        return self._constant(labels)

    def _constant(self, values: Any) -> str:
        self.reserve(0 if values.dtype == object else values.nbytes)
        name = self._new_name("constant")
        if values.dtype == object:
            kind = self.onnx.TensorProto.STRING
            tensor = self.onnx.helper.make_tensor(name, kind, values.shape, values.tolist())
        else:
            tensor = self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), name)
        self._constants.append(tensor)
        return name

    def reserve(self, n_bytes: int) -> None:
        """Count bytes of constants; refuse what a file cannot hold."""
        needed = self._counts["bytes"] + n_bytes
        if needed > _MOST_BYTES:
            raise NotExportableError(
                f"An ONNX file holds at most {_MOST_BYTES / 1e9:g} GB, and this model needs at "
                f"least {needed / 1e9:.3g} GB of dense numbers. Use "
                "svmosaic.save."
            )
        self._counts["bytes"] = needed

    # Nodes ----------------------------------------------------------------------------------

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one result."""
        name = self._new_name(operator.lower())
        self._nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def cast(self, value: str, dtype: Any) -> str:
        """Convert a value to another type."""
        return self.add("Cast", value, to=self._kind(dtype))

    def rounded(self, value: str, dtype: Any) -> str:
        """Round numbers to float32 where a model does, and return them in the graph's type."""
        if np.dtype(dtype) == self.dtype or np.dtype(dtype) == np.float64:
            return value
        return self.cast(self.cast(value, dtype), self.dtype)

    def column(self, values: str, number: int) -> str:
        """Return one column of a table as a table of one column."""
        return self.add("Gather", values, self.integers([number]), axis=1)

    def squeezed(self, values: str) -> str:
        """Return a table of one column as a vector."""
        return self.add("Squeeze", values, self.integers([1]))

    def linear(self, X: str, weights: Any, constants: Any) -> str:
        """Return X W + c."""
        product = self.add("MatMul", X, self.numbers(weights))
        return self.add("Add", product, self.numbers(constants))

    def accumulated(self, first: str, second: str, shape: str, body: tuple[Any, ...]) -> str:
        """Return a table that starts from zeros and to which every pair of rows adds a table.

        `body` holds the operators that make the table of a pair, each as (operator, inputs,
        result); the rows are "a" and "b", the table is "added". Only one table is in memory.
        """
        helper, kind = self.onnx.helper, self._kind(self.dtype)
        nodes = [helper.make_node(operator, inputs, [out]) for operator, inputs, out in body]
        nodes.append(helper.make_node("Add", ["before", "added"], ["after"]))
        step = helper.make_graph(
            nodes,
            "step",
            [helper.make_tensor_value_info(name, kind, None) for name in ("before", "a", "b")],
            [helper.make_tensor_value_info("after", kind, None)],
        )
        zero = self.onnx.numpy_helper.from_array(np.zeros(1, dtype=self.dtype))
        zeros = self.add("ConstantOfShape", shape, value=zero)
        return self.add("Scan", zeros, first, second, body=step, num_scan_inputs=2)

    # The whole ------------------------------------------------------------------------------

    def model(
        self, n_features: int, outputs: dict[str, tuple[str, Any, int]], about: dict[str, str]
    ) -> Any:
        """Return the model of ONNX.

        Parameters
        ----------
        n_features : int
            Number of features of the samples.
        outputs : dict of str to (str, dtype, int)
            For each result its value, its type and the number of its columns; 0 is a vector.
        about : dict of str to str
            What the file says of the model.
        """
        helper = self.onnx.helper
        results = []
        for name, (value, dtype, n_columns) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
            shape = ["n", n_columns] if n_columns else ["n"]
            results.append(helper.make_tensor_value_info(name, self._kind(dtype), shape))
        samples = helper.make_tensor_value_info(INPUT, self._kind(self.dtype), ["n", n_features])
        graph = helper.make_graph(self._nodes, "svmosaic", [samples], results, self._constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
            producer_name="svmosaic",
        )
        helper.set_model_props(model, about)
        return model

    def _kind(self, dtype: Any) -> int:
        dtype = np.dtype(dtype)
        if dtype.kind in "OU":
            return int(self.onnx.TensorProto.STRING)
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(dtype))

    def _new_name(self, stem: str) -> str:
        self._counts["names"] += 1
        return f"{stem}_{self._counts['names']}"
