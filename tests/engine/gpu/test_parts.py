"""The parts of the sweep algorithm by themselves."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch_engine").torch

from svmosaic.engine.gpu.accelerator import Accelerator  # noqa: E402
from svmosaic.engine.gpu.block_smo import Blocks, solve_blocks  # noqa: E402
from svmosaic.engine.gpu.clusters import neighbour_order  # noqa: E402
from svmosaic.engine.gpu.digits import Digits, step_for  # noqa: E402
from svmosaic.engine.gpu.dual import Dual, best_length, packed  # noqa: E402
from svmosaic.engine.gpu.features import SparseFeatures, read_features  # noqa: E402
from svmosaic.engine.gpu.kernel_values import kernel_values  # noqa: E402
from svmosaic.engine.kernels import KernelSpec  # noqa: E402
from svmosaic.engine.problem import CallbackRows, CsrRows, DenseRows, Problem  # noqa: E402
from twins import smo as smo_twin  # noqa: E402
from twins.kernels import gram  # noqa: E402

PLACE = Accelerator(torch.device("cpu"), use_triton=False)
RNG = np.random.default_rng(1)


@pytest.mark.parametrize("n", [1, 2, 7, 64, 100, 1000])
def test_an_order_names_every_point_once(n):
    order = neighbour_order(torch.tensor(RNG.normal(size=(n, 3))), 8, seed=0)

    np.testing.assert_array_equal(np.sort(order.numpy()), np.arange(n))


def test_ranges_of_an_order_are_close_together():
    points = RNG.uniform(size=(1024, 2))
    order = neighbour_order(torch.tensor(points), 16, seed=0).numpy()

    spread = np.mean([points[part].std(axis=0).mean() for part in order.reshape(64, 16)])

    assert spread < 0.3 * points.std(axis=0).mean()


def test_another_seed_gives_another_order():
    points = torch.tensor(RNG.normal(size=(256, 3)))

    orders = [neighbour_order(points, 8, seed) for seed in (0, 0, 1)]

    assert torch.equal(orders[0], orders[1])
    assert not torch.equal(orders[0], orders[2])


def test_points_that_are_all_the_same_have_an_order():
    order = neighbour_order(torch.zeros(100, 3), 8, seed=0)

    np.testing.assert_array_equal(np.sort(order.numpy()), np.arange(100))


def test_what_is_not_zero_is_packed_to_the_front():
    index = torch.tensor([4, 9, 2, 7])
    values = torch.tensor([0.0, 1.5, 0.0, -2.0])

    where, what, count = packed(index, values, padding=99)

    assert where.tolist() == [9, 7, 99, 99]
    assert what.tolist() == [1.5, -2.0, 0.0, 0.0]
    assert count.tolist() == [2]


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.3])
def test_the_best_length_is_where_the_objective_is_least(epsilon):
    n = 12
    rows = RNG.normal(size=(n, 2))
    targets = np.where(RNG.random(n) < 0.5, 1.0, -1.0) if epsilon is None else RNG.normal(size=n)
    problem = Problem(np.arange(n), targets, np.ones(n))
    kernel = kernel_values(DenseRows(rows), KernelSpec("rbf", 0.5), PLACE)
    dual = Dual.of(problem, kernel, 1.0, epsilon, PLACE)
    K = gram(rows, rows, KernelSpec("rbf", 0.5))
    for _ in range(20):
        start, goal = (
            np.clip(RNG.normal(size=n), dual.lower[:-1].numpy(), dual.upper[:-1].numpy())
            for _ in range(2)
        )
        dual.beta[:-1] = torch.tensor(start)
        dual.refresh()
        product = np.append(K @ (goal - start), 0.0)
        index = torch.arange(n)

        length = float(best_length(dual, index, torch.tensor(goal), torch.tensor(product)))

        def objective(t, start=start, goal=goal):
            b = start + t * (goal - start)
            return 0.5 * b @ K @ b - targets @ b + (epsilon or 0.0) * np.abs(b).sum()

        best = min(objective(t) for t in np.linspace(0, 1, 2001))
        assert 0.0 <= length <= 1.0
        assert objective(length) <= best + 1e-9


@pytest.mark.parametrize("epsilon", [None, 0.2])
def test_a_block_takes_the_steps_of_the_twin(epsilon):
    n = 30
    rows = RNG.normal(size=(n, 2))
    K = gram(rows, rows, KernelSpec("rbf", 1.0))
    targets = np.where(rows[:, 0] > 0, 1.0, -1.0) if epsilon is None else rows[:, 0] ** 2
    upper = RNG.uniform(0.5, 2.0, n)
    expected = smo_twin.solve(K, targets, upper, tol=1e-6, epsilon=epsilon)

    two_sided = epsilon is not None
    low = np.where(two_sided | (targets < 0), -upper, 0.0)
    high = np.where(two_sided | (targets > 0), upper, 0.0)
    arrays = (K, np.ones(n), np.zeros(n), low, high, -targets)
    blocks = Blocks(*(torch.tensor(a)[None] for a in arrays), epsilon or 0.0)
    n_updates, violation = solve_blocks(
        blocks, tol=1e-6, looseness=0.0, max_updates=10_000, use_triton=False
    )

    assert n_updates.tolist() == [expected.counters.n_updates]
    assert float(violation) <= 1e-6
    beta = np.zeros(n)
    beta[expected.support] = expected.coef
    np.testing.assert_allclose(blocks.beta[0].numpy(), beta, atol=1e-12)


def test_sparse_rows_are_made_dense_where_they_are_asked_for():
    from scipy import sparse

    table = RNG.normal(size=(20, 6)) * (RNG.random((20, 6)) < 0.4)
    csr = sparse.csr_array(table)
    rows = CsrRows(csr.data, csr.indices, csr.indptr, 6)
    dense = read_features(rows, PLACE)
    kept = SparseFeatures(
        torch.tensor(csr.data),
        torch.tensor(csr.indices).long(),
        torch.tensor(csr.indptr).long(),
        6,
        torch.arange(21),
    )
    index = torch.tensor([[3, 19, 20], [0, 3, 7]])

    np.testing.assert_array_equal(dense.rows(index), kept.rows(index))
    np.testing.assert_array_equal(kept.rows(index)[0, 2], np.zeros(6))
    np.testing.assert_allclose(dense.squares(), kept.squares())
    part = kept.take(torch.tensor([5, 6]))
    np.testing.assert_array_equal(part.rows(torch.tensor([0, 1, 2]))[:2], table[5:7])
    assert part.n_rows == 2


def test_the_precision_that_the_caller_prefers_does_not_matter_and_stays():
    torch.set_float32_matmul_precision("medium")
    try:
        with PLACE.active():
            assert torch.get_float32_matmul_precision() == "highest"
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")


def test_kernel_functions_run_on_the_cpu_only():
    rows = CallbackRows(lambda j: np.ones(2), np.ones(2), 2)

    with pytest.raises(ValueError, match="Python function runs on the CPU only"):
        kernel_values(rows, KernelSpec("precomputed"), PLACE)


@pytest.mark.parametrize("d", [3, 32, 40, 300])
def test_digits_are_the_numbers_they_stand_for(d):
    rows = RNG.normal(size=(50, d)).astype(np.float32)
    rows[-1] = 0.0
    step = step_for(float(np.abs(rows).max()), float(np.linalg.norm(rows, axis=1).max()), d)

    found = Digits.of(torch.tensor(rows), torch.zeros(d), 1.0 / step)

    high, middle, low = (part.numpy().astype(np.int64) for part in found.arrays[:3])
    numbers = (high * 256 + middle) * 256 + low
    assert np.abs(numbers[:, :d] * (step / 65536) - rows).max() <= 0.5001 * step / 65536
    assert not numbers[:, d:].any()
    # What fits into 24 bits for any samples is exact, and so are products in 32 bits.
    squares = found.wholes.numpy().astype(np.int64) * 65536 + found.rests.numpy().astype(np.int64)
    without_least = 2 * middle * low * 256 + low * low
    np.testing.assert_allclose(squares, (numbers**2 - without_least).sum(axis=1) / 65536, rtol=1e-7)
    assert found.wholes.max() < 2**22
    assert np.abs(2 * 256 * high @ middle.T).max() < 2**31


@pytest.mark.parametrize("value", [0.0, 1.0, 1e-30, 1e30])
def test_rows_of_one_value_have_digits(value):
    rows = np.full((4, 1024), value, dtype=np.float32)
    step = step_for(value, 32.0 * value, 1024)

    found = Digits.of(torch.tensor(rows), torch.zeros(1024), 1.0 / step)

    assert found.wholes[:-1].max() < 2**22
    assert float(found.wholes[-1]) == 0.0


TRITON = """
import numpy as np, torch
from svmosaic.engine.gpu.block_smo import Blocks, solve_blocks
from svmosaic.engine.gpu.digits import Digits, step_for
from svmosaic.engine.gpu.triton_products import rbf_blocks, rbf_products

rng = np.random.default_rng(0)
for d in (5, 64, 90):
    X = 2.0 * rng.normal(size=(70, d)) / np.sqrt(d)
    X[-1] = 0.0
    table = torch.tensor(X, dtype=torch.float32)
    step = step_for(np.abs(X).max(), np.linalg.norm(X, axis=1).max(), d)
    digits = Digits.of(table, torch.zeros(d), 1.0 / step)
    K = np.exp2(-((X[:, None] - X[None]) ** 2).sum(2) / 2)
    index = torch.tensor([[0, 5, 5, 69, 3], [1, 2, 3, 4, 1]])
    found = rbf_blocks(digits, index, 0.5 * step**2)
    for block, chosen in zip(found.numpy(), index.numpy()):
        np.testing.assert_allclose(block, K[np.ix_(chosen, chosen)], rtol=3e-6)
        np.testing.assert_array_equal(block.diagonal(), 1.0)
    # Large coefficients that nearly cancel.
    c = 1e4 * rng.normal(size=128)
    c[40:] = 0.0
    columns = torch.tensor(rng.integers(0, 70, 128))
    found = rbf_products(
        digits, digits.take(columns), torch.tensor(c), torch.tensor([40]), 0.5 * step**2
    )
    error = np.abs(found.numpy() - K[:, columns] @ c).max()
    assert error < 3e-7 * np.abs(c).sum(), error

P, M = 2, 13
K = np.exp2(-((X := rng.normal(size=(P, M, 2)))[:, :, None] - X[:, None]).__pow__(2).sum(3))
for epsilon in (0.0, 0.2):
    t = rng.normal(size=(P, M)) if epsilon else np.where(rng.random((P, M)) < 0.5, 1.0, -1.0)
    low = np.where(t < 0, -1.0, -1.0 if epsilon else 0.0)
    high = np.where(t > 0, 1.0, 1.0 if epsilon else 0.0)
    results = []
    for use_triton in (False, True):
        arrays = (K, np.ones((P, M)), np.zeros((P, M)), low, high, -t)
        blocks = Blocks(*(torch.tensor(a) for a in arrays), epsilon)
        n, _ = solve_blocks(
            blocks, tol=1e-2, looseness=0.0, max_updates=15, use_triton=use_triton
        )
        results.append((blocks.beta.numpy(), blocks.gradient.numpy(), n.numpy()))
    for ours, theirs in zip(*results):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)
    assert results[0][2].min() > 3

# All of it together.
from svmosaic import OLLAWVClassifier
from svmosaic.engine.gpu.accelerator import Accelerator
from svmosaic.engine.gpu.engine import TorchEngine
from svmosaic.engine.gpu.memory_plan import Sizes
from svmosaic.engine.protocol import register

sizes = Sizes(block=16, cell=32, single=16, small=8, candidates=48, updates=50, n_sweeps=20)
register("interpreter", TorchEngine(Accelerator(torch.device("cpu"), True, sizes)))
X = rng.uniform(-1, 1, size=(150, 3)).astype(np.float32)
y = np.sin(4 * X[:, 0]) * X[:, 1] > 0
models = [OLLAWVClassifier(C=5.0, gamma=2.0, device=d).fit(X, y) for d in ("cpu", "interpreter")]
np.testing.assert_allclose(models[1].objective_, models[0].objective_, rtol=1e-4)
np.testing.assert_allclose(*(m.decision_function(X) for m in models), atol=5e-3)
assert models[1].fit_report_.counters.n_sweeps > 2

# Steps of OLLAWV, with rows of integers (float32) and as they are.
register("steps", TorchEngine(Accelerator(torch.device("cpu"), True, Sizes(stored=8))))
weights = rng.choice([0.5, 1.0, 2.7], 150)
for params in ({}, {"margin": 0.5}, {"max_support": 9, "margin": 1.0}):
    for table in (X, X.astype(np.float64)):
        params = {"C": 5.0, "gamma": 2.0, "refine": None, **params}
        ours, theirs = (
            OLLAWVClassifier(device=d, **params).fit(table, y, weights) for d in ("steps", "cpu")
        )
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-12)
        np.testing.assert_array_equal(ours.n_iter_, theirs.n_iter_)
"""

# A loop like those of our kernels, which the interpreter of some versions cannot run.
LOOP = """
import torch, triton, triton.language as tl

@triton.jit
def count(out, n, STEP: tl.constexpr):
    total = 0
    for begin in range(0, n, STEP):
        total += 1
    tl.store(out, total)

out = torch.zeros(1, dtype=torch.int64)
count[(1,)](out, 7, STEP=2)
"""


def interprets_loops(environment):
    done = subprocess.run([sys.executable, "-c", LOOP], env=environment, check=False)
    return done.returncode == 0


def test_kernels_of_triton_do_what_pytorch_does():
    pytest.importorskip("triton")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    if not interprets_loops(environment):
        pytest.skip("Triton's interpreter cannot run a loop with this version of NumPy")

    done = subprocess.run(
        [sys.executable, "-c", TRITON], env=environment, check=False, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr


COMPILE = """
import sys
from triton import compile
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from svmosaic.engine.gpu import triton_products, triton_selection, triton_smo

TYPES = {
    "i32": ["n_rows", "n_columns", "n_blocks", "number", "m", "max_updates"],
    "fp32": ["epsilon", "epsilon_rest", "tol", "looseness", "scale"],
    "*i8": [p + d for p in ("", "row_", "column_") for d in ("high", "middle", "low")],
    "*i64": ["index", "count", "updates"],
    "*fp64": ["out", "betas", "lowers", "uppers"],
}

def type_of(name):
    return next((type for type, names in TYPES.items() if name in names), "*fp32")

def shared_bytes(function, n_warps, capability, **constants):
    names = function.arg_names
    signature = {n: "constexpr" if n in constants else type_of(n) for n in names}
    values = {(names.index(name),): value for name, value in constants.items()}
    source = ASTSource(fn=function, signature=signature, constexprs=values)
    options = {"num_warps": n_warps, "enable_fp_fusion": True}
    target = GPUTarget("cuda", capability, 32)
    return compile(source, target=target, options=options).metadata.shared

for has_tube in (False, True):
    shared_bytes(
        triton_smo._smo, 4, 90, CURVATURE=1e-12, SMALL=1e-14, HAS_TUBE=has_tube, LANES=256
    )
shared_bytes(triton_products._rbf_blocks, 4, 90, D=128, STEP=64, TILE=64)
tiling = triton_products._tilings(128)[-1]
TYPES["*i64"] += ["sample", "n_support", "taken", "n_steps", "most_steps"]
TYPES["*i8"] += ["is_done"]
TYPES["*fp64"] += ["remaining", "weights", "targets", "scores", "rates", "steps", "total_weight"]
TYPES["*fp64"] += ["least", "tie", "margin", "worst"]
TYPES["fp32"].remove("scale")
shared_bytes(triton_selection._take, 1, 90, LEAST_WEIGHT=1e-12, MOST_SUPPORT=5)
shared_bytes(triton_selection._change_scores, 4, 90, ROWS=128, FEATURES=32)
shared_bytes(triton_selection._choose, 4, 90, ROWS=128, BLOCKS=1024)
TYPES["fp32"].append("scale")
bytes = shared_bytes(
    triton_products._rbf_products,
    tiling.n_warps,
    80,
    D=128,
    STEP=tiling.step(128),
    ROWS=tiling.rows,
    COLUMNS=tiling.columns,
)
# What every card of the last years has.
assert bytes <= 99 * 1024, bytes
"""


def test_kernels_of_triton_compile_for_gpus_without_one():
    pytest.importorskip("triton")
    environment = {key: v for key, v in os.environ.items() if key != "TRITON_INTERPRET"}

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMPILE],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
