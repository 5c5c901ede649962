"""The compiled core of svmosaic. Private: use the estimators."""

from typing import overload


from typing import Any, Literal
import numpy as np
import numpy.typing as npt

DoubleArray = npt.NDArray[np.float64]
FloatArray = npt.NDArray[np.floating[Any]]
IndexArray = npt.NDArray[np.int64]
SingleArray = npt.NDArray[np.float32]

def distinct_rows(rows: object, labels: IndexArray, weights: DoubleArray, n_threads: int) -> tuple[IndexArray, DoubleArray]:
    """
    First copies of the distinct (row, label) patterns in canonical order, and their weights.
    """

def central_sample(rows: object, problem: object) -> int:
    """
    Position of the sample nearest to its class mean, in the class of larger weight.
    """

def feature_moments(rows: object) -> tuple[DoubleArray, DoubleArray]:
    """Means and standard deviations of the columns of dense rows."""

def scale_features(rows: object, offset: DoubleArray, scale: DoubleArray) -> SingleArray:
    """
    The columns of dense rows, less an offset and divided by a scale, as float32.
    """

def simd_level() -> str:
    """The SIMD level in use: baseline, avx2 or avx512."""

def best_simd_level() -> str:
    """The best SIMD level of this computer."""

def force_simd_level(name: str) -> None:
    """Use another SIMD level, for tests and benchmarks."""

class RefineSettings:
    """What follows the selection of OLLAWV."""

    def __init__(self, *, refinement: Literal["none", "full"] = ..., C: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ...) -> None: ...

    @property
    def refinement(self) -> str:
        """Solve the dual on all samples, from those that were selected."""

    @refinement.setter
    def refinement(self, arg: str, /) -> None: ...

    @property
    def C(self) -> float:
        """Upper bound of a coefficient, times the weight of its sample."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def shrinking(self) -> bool:
        """Leave out variables that stay at a bound for a while."""

    @shrinking.setter
    def shrinking(self, arg: bool, /) -> None: ...

    def replaced(self, *, refinement: Literal["none", "full"] = ..., C: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ...) -> RefineSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class OllawvSettings:
    """OLLAWV, the OnLine Learning Algorithm using Worst-Violators."""

    def __init__(self, *, margin: float = ..., learning_rate: Literal["2/sqrt(t)", "1/sqrt(t)", "1/t"] = ..., fit_intercept: bool = ..., max_iter_share: float = ..., max_iter: int = ..., max_support: int = ..., C: float = ..., cache_mb: float = ..., refine: RefineSettings = ...) -> None: ...

    @property
    def margin(self) -> float:
        """M / C. The loop ends when no sample has y f(x) / C below it."""

    @margin.setter
    def margin(self, arg: float, /) -> None: ...

    @property
    def learning_rate(self) -> str:
        """Size of step t."""

    @learning_rate.setter
    def learning_rate(self, arg: str, /) -> None: ...

    @property
    def fit_intercept(self) -> bool:
        """The paper's beta."""

    @fit_intercept.setter
    def fit_intercept(self, arg: bool, /) -> None: ...

    @property
    def max_iter_share(self) -> float:
        """The loop takes at most this share of the total weight in steps."""

    @max_iter_share.setter
    def max_iter_share(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """If positive, the limit on steps instead of max_iter_share."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def max_support(self) -> int:
        """If positive, the limit on different samples."""

    @max_support.setter
    def max_support(self, arg: int, /) -> None: ...

    @property
    def C(self) -> float:
        """Scales coefficients and intercept where nothing refines."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    @property
    def refine(self) -> RefineSettings:
        """What follows the selection."""

    @refine.setter
    def refine(self, arg: RefineSettings, /) -> None: ...

    def replaced(self, *, margin: float = ..., learning_rate: Literal["2/sqrt(t)", "1/sqrt(t)", "1/t"] = ..., fit_intercept: bool = ..., max_iter_share: float = ..., max_iter: int = ..., max_support: int = ..., C: float = ..., cache_mb: float = ..., refine: RefineSettings = ...) -> OllawvSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: OllawvSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """OLLAWV, refined as the settings say."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: SmoSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The L1-SVM or epsilon-SVR by SMO."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: PartSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The exact dual on parts of its variables."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: SimpleSmoSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The randomised SMO of a textbook."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: NuSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """A nu-SVM or the one-class SVM by SMO."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: DualDescentSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The L1-SVM without an intercept by coordinate descent."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: MinimalNormSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The L2-SVM by the minimal norm."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: NnisdaSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The L2-SVM one coordinate at a time."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: UniformSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """The Uniform SVM by nearest points of hulls."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: KernelSgdSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """NL-SGD in kernel form."""

@overload
def solve(rows: object, kernel: object, tasks: list[Any], settings: OllaL2Settings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """OLLA-L2."""

class SmoSettings:
    """SMO for the L1-SVM or epsilon-SVR."""

    def __init__(self, *, loss: Literal["hinge", "epsilon_insensitive"] = ..., C: float = ..., epsilon: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ..., cache_mb: float = ...) -> None: ...

    @property
    def loss(self) -> str:
        """Classification, or regression."""

    @loss.setter
    def loss(self, arg: str, /) -> None: ...

    @property
    def C(self) -> float:
        """Upper bound of a coefficient, times the weight of its sample."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def epsilon(self) -> float:
        """Half the width of the tube; regression only."""

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def shrinking(self) -> bool:
        """Leave out variables that stay at a bound for a while."""

    @shrinking.setter
    def shrinking(self, arg: bool, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, loss: Literal["hinge", "epsilon_insensitive"] = ..., C: float = ..., epsilon: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ..., cache_mb: float = ...) -> SmoSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class PartSettings:
    """SMO on a part of the variables, while the others stay."""

    def __init__(self, *, tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> PartSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class SimpleSmoSettings:
    """The randomised SMO of a textbook."""

    def __init__(self, *, bounds: Literal["per_sample", "uniform_feasible", "uniform_printed"] = ..., C: float = ..., tol: float = ..., max_iter: int = ..., seed: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def bounds(self) -> str:
        """A bound for each coefficient, or one for their sum."""

    @bounds.setter
    def bounds(self, arg: str, /) -> None: ...

    @property
    def C(self) -> float:
        """Upper bound of a coefficient, times the weight of its sample."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """A sweep that moves the coefficients by less, in norm, is the last."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on sweeps."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of the draws."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, bounds: Literal["per_sample", "uniform_feasible", "uniform_printed"] = ..., C: float = ..., tol: float = ..., max_iter: int = ..., seed: int = ..., cache_mb: float = ...) -> SimpleSmoSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class NuSettings:
    """SMO for the nu-SVMs and the one-class SVM."""

    def __init__(self, *, task: Literal["classification", "regression", "one_class"] = ..., nu: float = ..., C: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ..., cache_mb: float = ...) -> None: ...

    @property
    def task(self) -> str:
        """Two classes, real targets, or none."""

    @task.setter
    def task(self, arg: str, /) -> None: ...

    @property
    def nu(self) -> float:
        """
        Bounds the share of margin errors from above and that of support vectors from below.
        """

    @nu.setter
    def nu(self, arg: float, /) -> None: ...

    @property
    def C(self) -> float:
        """Upper bound of a coefficient, for regression."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def shrinking(self) -> bool:
        """Leave out variables that stay at a bound for a while."""

    @shrinking.setter
    def shrinking(self, arg: bool, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, task: Literal["classification", "regression", "one_class"] = ..., nu: float = ..., C: float = ..., tol: float = ..., max_iter: int = ..., shrinking: bool = ..., cache_mb: float = ...) -> NuSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class DualDescentSettings:
    """Coordinate descent for the L1-SVM without an intercept."""

    def __init__(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def C(self) -> float:
        """Upper bound of a coefficient, times the weight of its sample."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> DualDescentSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class MinimalNormSettings:
    """MNSVM for the L2-SVM."""

    def __init__(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., draw: int = ..., seed: int = ..., cache_mb: float = ..., joint_steps: bool = ...) -> None: ...

    @property
    def C(self) -> float:
        """Penalty of the squared slack, times the weight."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Accepted spread of the gradient, relative to the squared norm."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def draw(self) -> int:
        """Samples looked at in one search for violators; 0 means all."""

    @draw.setter
    def draw(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of the draws."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    @property
    def joint_steps(self) -> bool:
        """
        Solve for all free variables together now and then; unlike the published method.
        """

    @joint_steps.setter
    def joint_steps(self, arg: bool, /) -> None: ...

    def replaced(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., draw: int = ..., seed: int = ..., cache_mb: float = ..., joint_steps: bool = ...) -> MinimalNormSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class NnisdaSettings:
    """NNISDA for the L2-SVM."""

    def __init__(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ..., joint_steps: bool = ...) -> None: ...

    @property
    def C(self) -> float:
        """Penalty of the squared slack, times the weight."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """Largest violation of the optimality conditions that is accepted."""

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    @property
    def joint_steps(self) -> bool:
        """
        Solve for all free variables together now and then; unlike the published method.
        """

    @joint_steps.setter
    def joint_steps(self, arg: bool, /) -> None: ...

    def replaced(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ..., joint_steps: bool = ...) -> NnisdaSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

class UniformSettings:
    """The Uniform SVM by nearest points."""

    def __init__(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def C(self) -> float:
        """Penalty of the one slack."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def tol(self) -> float:
        """
        Accepted spread of the gradients, relative to the squared distance of the hulls.
        """

    @tol.setter
    def tol(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Limit on updates; 0 means max(10 million, 100 n)."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, C: float = ..., tol: float = ..., max_iter: int = ..., cache_mb: float = ...) -> UniformSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

def solve_primal(rows: object, targets: DoubleArray, norm: DoubleArray, C: float, weights: DoubleArray, decisions: DoubleArray, gain: float, max_steps: int, n_threads: int) -> DoubleArray:
    """The weights of the L2-SVM, the intercept last."""

def solve_ridge(rows: object, targets: DoubleArray, penalty: DoubleArray, n_threads: int) -> DoubleArray:
    """
    The weights of ridge regressions, flat: by targets and columns, the intercept last.
    """

class KernelSgdSettings:
    """NL-SGD."""

    def __init__(self, *, C: float = ..., epochs: int = ..., average: float = ..., order: Literal["shuffled", "random", "given"] = ..., fit_intercept: bool = ..., seed: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def C(self) -> float:
        """1 / lambda."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def epochs(self) -> int:
        """How often every sample is visited."""

    @epochs.setter
    def epochs(self, arg: int, /) -> None: ...

    @property
    def average(self) -> float:
        """The model is the mean over this last share of the visits."""

    @average.setter
    def average(self, arg: float, /) -> None: ...

    @property
    def order(self) -> str:
        """Order of the visits."""

    @order.setter
    def order(self, arg: str, /) -> None: ...

    @property
    def fit_intercept(self) -> bool:
        """Use the kernel k(x, z) + 1."""

    @fit_intercept.setter
    def fit_intercept(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of the draws."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, C: float = ..., epochs: int = ..., average: float = ..., order: Literal["shuffled", "random", "given"] = ..., fit_intercept: bool = ..., seed: int = ..., cache_mb: float = ...) -> KernelSgdSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

def solve_linear_sgd(rows: object, tasks: list[Any], settings: KernelSgdSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """NL-SGD with the linear kernel in the primal, on dense or sparse rows."""

class OllaL2Settings:
    """OLLA-L2."""

    def __init__(self, *, C: float = ..., epochs: int = ..., order: Literal["shuffled", "random", "given"] = ..., beta: float = ..., budget: int = ..., seed: int = ..., cache_mb: float = ...) -> None: ...

    @property
    def C(self) -> float:
        """Penalty of the losses."""

    @C.setter
    def C(self, arg: float, /) -> None: ...

    @property
    def epochs(self) -> int:
        """How often every sample is visited."""

    @epochs.setter
    def epochs(self, arg: int, /) -> None: ...

    @property
    def order(self) -> str:
        """Order of the visits."""

    @order.setter
    def order(self, arg: str, /) -> None: ...

    @property
    def beta(self) -> float:
        """The intercept's share of a step; 0 for none."""

    @beta.setter
    def beta(self, arg: float, /) -> None: ...

    @property
    def budget(self) -> int:
        """If positive, the limit on support vectors."""

    @budget.setter
    def budget(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of the draws."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def cache_mb(self) -> float:
        """Memory in MB for kernel columns that are read again."""

    @cache_mb.setter
    def cache_mb(self, arg: float, /) -> None: ...

    def replaced(self, *, C: float = ..., epochs: int = ..., order: Literal["shuffled", "random", "given"] = ..., beta: float = ..., budget: int = ..., seed: int = ..., cache_mb: float = ...) -> OllaL2Settings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

def decide(rows: object, vectors: object, support: IndexArray, kernel: object, offsets: IndexArray, outputs: IndexArray, values: DoubleArray, intercepts: DoubleArray, n_threads: int) -> DoubleArray:
    """Decision values, row-major (n_rows, n_outputs), flattened."""

def kernel_matrix(rows: object, vectors: object, kernel: object, narrow: bool, n_threads: int) -> FloatArray:
    """
    Kernel values of all pairs of rows and vectors, row-major and flattened; where narrow, in the precision of the rows.
    """

def decide_linear(rows: object, weights: DoubleArray, n_threads: int) -> DoubleArray:
    """
    Decision values of dense rows, flat: by rows and by rows of weights, which end with the intercept.
    """

def sum_rows(table: DoubleArray, n_columns: int, places: IndexArray, weights: DoubleArray) -> DoubleArray:
    """The weighted sum of some rows of a table."""

def gram_of_rows(table: DoubleArray, n_columns: int, places: IndexArray, instances: IndexArray) -> DoubleArray:
    """
    Kernel values between instances whose rows are in a table, flat and symmetric.
    """

def rbf_between_bags(instances: object, offsets: IndexArray, weights: DoubleArray, gammas: DoubleArray, n_threads: int) -> DoubleArray:
    """
    The rbf kernel between weighted sums of instances, flat: by weights, gammas and bags.
    """

class LibsvmTextError(ValueError):
    pass

class LibsvmTextParser:
    """
    Reads LIBSVM text in chunks of bytes. One thread at a time may use a parser.
    """

    def __init__(self, *, max_features: int = 10000000, max_line_bytes: int = 16777216, allow_nonfinite: bool = False) -> None: ...

    def feed(self, chunk: bytes) -> None:
        """
        Read the next bytes of the file. Raises LibsvmTextError for a malformed line.
        """

    def finish(self) -> tuple[Any, Any, Any, Any, int]:
        """
        Close the parser and return (labels, indptr, indices, values, n_features).
        """

    @property
    def line(self) -> int:
        """
        Number, from 1, of the last line read; after an error, of the line at fault.
        """

def tune_ollawv(rows: object, kernel: object, labels: IndexArray, weights: DoubleArray, splits: list[Any], gammas: DoubleArray, margins: DoubleArray, Cs: DoubleArray, multi_class: str, solver: OllawvSettings, memory_mb: float, n_threads: int, max_time: float, progress: object | None) -> tuple[DoubleArray, DoubleArray]:
    """
    Try all candidates of a grid on all folds: confusion matrices and support vectors.
    """

def score_left_out(gram: DoubleArray, signs: DoubleArray, splits: list[Any], Cs: DoubleArray, settings: SmoSettings) -> DoubleArray:
    """
    Decision values of the L1-SVM where splits of a kernel matrix leave rows out, by C.
    """

class OnlineSvmSettings:
    """The on-line SVM, plain and with boundary points."""

    def __init__(self, *, lam: float = ..., max_iter: int = ..., order: Literal["random", "given"] = ..., update: Literal["gradient", "printed", "clipped"] = ..., seed: int = ...) -> None: ...

    @property
    def lam(self) -> float:
        """lambda of the thesis; a step is 1 / (lam t)."""

    @lam.setter
    def lam(self, arg: float, /) -> None: ...

    @property
    def max_iter(self) -> int:
        """Visits, when they are drawn at random."""

    @max_iter.setter
    def max_iter(self, arg: int, /) -> None: ...

    @property
    def order(self) -> str:
        """Drawn by weight, or one pass over the samples as they come."""

    @order.setter
    def order(self, arg: str, /) -> None: ...

    @property
    def update(self) -> str:
        """
        A step along the gradient of the norm, or coefficients that shrink by a factor, as printed or cut to [0, 1].
        """

    @update.setter
    def update(self, arg: str, /) -> None: ...

    @property
    def seed(self) -> int:
        """Seed of the draws."""

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    def replaced(self, *, lam: float = ..., max_iter: int = ..., order: Literal["random", "given"] = ..., update: Literal["gradient", "printed", "clipped"] = ..., seed: int = ...) -> OnlineSvmSettings:
        """Return a copy with other values of some fields."""

    def __repr__(self) -> str: ...

def boundary_pairs(rows: object, first: IndexArray, second: IndexArray, n_threads: int, max_time: float, progress: object | None) -> tuple[IndexArray, IndexArray]:
    """
    Pairs of rows of two classes with no sample inside the ball between them.
    """

def midpoints(rows: object, first: IndexArray, second: IndexArray, n_threads: int) -> tuple[FloatArray, DoubleArray]:
    """Midpoints of pairs of rows, flat, and half their distances."""

def solve_online_svm(rows: object, boundary: object, gamma: float, tasks: list[Any], settings: OnlineSvmSettings, n_threads: int, max_time: float, progress: object | None) -> list[dict[str, Any]]:
    """Run the on-line SVM, with boundary points where a task has some."""

def pair_distances(rows: object, vectors: object, absolute: bool, n_threads: int) -> DoubleArray:
    """Distances of all rows to all vectors, squared or absolute, row by row."""

def tune_regression(distances: DoubleArray, targets: DoubleArray, columns: DoubleArray, links: list[Any], weights: DoubleArray, train: DoubleArray, test: DoubleArray, starts: DoubleArray, gammas: DoubleArray, Cs: DoubleArray, epsilons: DoubleArray, tol: float, max_iter: int, complete: bool, absolute: bool, race: float, keep: bool, n_threads: int, progress: object | None) -> tuple[list[Any], DoubleArray]:
    """
    Choose gamma, C and epsilon of each link by cross-validation and fit it to all samples.
    """

def time_columns(rows: object, kernel: object, n_columns: int, repeats: int, n_threads: int) -> float:
    """
    Seconds for some kernel columns of all rows, computed together; for benchmarks.
    """

def time_update(n: int, repeats: int, n_threads: int) -> float:
    """Seconds for one pass of OLLAWV over n scores; for benchmarks."""

LARGE_PROBLEM: int = 8000

def values_in_blocks(n_samples: int, n_threads: int) -> int:
    """
    Kernel values that the exact solver keeps for blocks of samples, at most.
    """

def compiler() -> str:
    """The version of the compiler that built the core."""
