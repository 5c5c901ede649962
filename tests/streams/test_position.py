"""Reading is a pure function of the position, for every stream."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from svmosaic.streams import (
    LED,
    SEA,
    STAGGER,
    Agrawal,
    ArrayStream,
    AttributeNoise,
    Blips,
    ConceptDrift,
    Hyperplane,
    Mixed,
    RandomRBF,
    RandomTree,
    Sine,
    Waveform,
    list_streams,
    stream,
)
from svmosaic.streams.published_streams import describe_stream

LENGTH = 4321


def table(n_rows=LENGTH):
    rng = np.random.default_rng(3)
    return rng.normal(size=(n_rows, 3)), rng.integers(0, 4, n_rows)


MAKERS = {
    "SEA": lambda: SEA(2, seed=1, n_samples=LENGTH),
    "SEA balanced": lambda: SEA(4, balance=True, seed=1, n_samples=LENGTH),
    "Sine": lambda: Sine(3, n_irrelevant=2, balance=True, n_samples=LENGTH),
    "Mixed": lambda: Mixed(2, balance=True, n_samples=LENGTH),
    "STAGGER": lambda: STAGGER(1, balance=True, n_samples=LENGTH),
    "Agrawal": lambda: Agrawal(5, balance=True, n_samples=LENGTH),
    "LED": lambda: LED(n_drift_features=4, n_samples=LENGTH),
    "Waveform": lambda: Waveform(n_irrelevant=19, n_samples=LENGTH),
    "RandomTree": lambda: RandomTree(n_classes=3, n_samples=LENGTH),
    "RandomRBF": lambda: RandomRBF(speed=0.01, n_drift_centroids=20, n_samples=LENGTH),
    "Hyperplane": lambda: Hyperplane(magnitude=0.1, n_drift_features=6, n_samples=LENGTH),
    "gradual": lambda: ConceptDrift(
        [SEA(1), SEA(2, n_samples=LENGTH), SEA(1)], [1000, 1700], [800, 300], seed=4
    ),
    "blips": lambda: Blips(SEA(1, n_samples=LENGTH), SEA(3), every=700, length=130),
    "noise": lambda: AttributeNoise(Mixed(n_samples=LENGTH), 0.2, seed=5),
    "array": lambda: ArrayStream(*table(), shuffle=7),
    "sparse array": lambda: ArrayStream(scipy.sparse.csr_array(table()[0]), table()[1]),
}
EVERY = pytest.mark.parametrize("name", MAKERS)


def equal(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@EVERY
@settings(max_examples=15)
@given(cuts=st.lists(st.integers(0, LENGTH), max_size=8))
def test_any_split_gives_the_same_samples(name, cuts):
    made = MAKERS[name]()
    whole = MAKERS[name]().read(0, LENGTH)
    ends = [*sorted(cuts), LENGTH]

    parts = [
        made.read(begin, end - begin) for begin, end in zip([0, *ends[:-1]], ends, strict=True)
    ]

    assert equal(whole, [np.concatenate(columns) for columns in zip(*parts, strict=True)])


@EVERY
@settings(max_examples=15)
@given(jumps=st.lists(st.tuples(st.integers(0, LENGTH), st.integers(0, 300)), max_size=6))
def test_jumps_ahead_and_back_give_the_same_samples(name, jumps):
    made = MAKERS[name]()
    X, y = MAKERS[name]().read(0, LENGTH)

    for begin, count in jumps:
        assert equal(made.read(begin, count), (X[begin : begin + count], y[begin : begin + count]))


@EVERY
def test_chunks_follow_each_other(name):
    made = MAKERS[name]()

    chunks = list(made.chunks(900, begin=100))

    assert [y.size for _, y in chunks] == [900, 900, 900, 900, LENGTH - 3700]
    assert equal(chunks[1], made.read(1000, 900))
    assert [y.size for _, y in made.chunks(900, begin=100, end=1100)] == [900, 100]


@EVERY
def test_rows_have_the_declared_form(name):
    made = MAKERS[name]()

    X, y = made.read(50, 1500)

    assert X.shape == (1500, made.n_features)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert X.flags.writeable
    assert y.shape == (1500,)
    assert y.dtype == made.classes.dtype
    assert np.isin(y, made.classes).all()


@EVERY
def test_nothing_lies_behind_the_end(name):
    made = MAKERS[name]()

    assert made.length == LENGTH
    assert made.read(LENGTH - 10, 100)[1].size == 10
    X, y = made.read(LENGTH + 5, 100)
    assert X.shape == (0, made.n_features)
    assert y.shape == (0,)


@EVERY
def test_a_reader_may_change_what_it_has_read(name):
    made = MAKERS[name]()
    X, y = made.read(0, 1000)
    kept = X.copy(), y.copy()

    X[:] = 0.0
    y[:] = y[0]

    assert equal(made.read(0, 1000), kept)


@EVERY
def test_a_pickle_goes_on_with_the_same_samples(name):
    made = MAKERS[name]()
    made.read(0, 1500)

    copy = pickle.loads(pickle.dumps(made))

    assert equal(copy.read(1200, 900), made.read(1200, 900))
    assert repr(copy) == repr(made)


def test_a_pickle_leaves_out_what_only_saves_time():
    fresh = len(pickle.dumps(Hyperplane(magnitude=0.1)))
    used = Hyperplane(magnitude=0.1)
    used.read(100_000, 10)

    assert len(pickle.dumps(used)) <= fresh + 8


@pytest.mark.parametrize(
    "name", [name for name in MAKERS if name not in ("array", "sparse array", "gradual")]
)
def test_the_repr_is_short(name):
    assert len(repr(MAKERS[name]())) < 120


@pytest.mark.parametrize("maker", [SEA, Sine, Mixed, STAGGER, Agrawal, LED, Waveform, RandomTree])
def test_seeds_differ_and_streams_are_endless(maker):
    first, second = maker(seed=1), maker(seed=2)

    assert first.length is None
    assert not np.array_equal(first.read(0, 100)[0], second.read(0, 100)[0])
    assert not np.array_equal(first.read(0, 100)[0], first.read(1000, 100)[0])
    assert first.read(10**9, 10)[1].size == 10


def test_the_seeds_of_model_and_samples_are_apart():
    same_model = RandomRBF(seed=1, model_seed=5), RandomRBF(seed=2, model_seed=5)

    assert np.array_equal(same_model[0].centres(0), same_model[1].centres(0))
    assert not np.array_equal(same_model[0].read(0, 10)[0], same_model[1].read(0, 10)[0])


@pytest.mark.parametrize(
    "name", [name for name in list_streams() if describe_stream(name).data is None]
)
def test_streams_by_name_do_not_depend_on_the_chunks(name):
    made = stream(name, n_samples=3000, seed=2)

    chunks = list(made.chunks(700))

    assert equal(made.read(0, 3000), [np.concatenate(c) for c in zip(*chunks, strict=True)])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: SEA(5), "The 'function' parameter of SEA must be an int from 1 to 4. Got 5"),
        (lambda: SEA(noise=1.5), "The 'noise' parameter of SEA must be a float in the range"),
        (lambda: SEA(noise=float("nan")), "must be a finite float"),
        (lambda: SEA(seed=-1), "The 'seed' parameter of SEA must be an int >= 0"),
        (lambda: SEA(n_samples=0), "The 'n_samples' parameter of SEA must be an int >= 1"),
        (lambda: LED(n_irrelevant=3, n_drift_features=4), "must be an int from 0 to 3"),
        (lambda: RandomRBF(n_drift_centroids=51), "must be an int from 0 to 50"),
        (lambda: Hyperplane(n_features=3, n_drift_features=4), "must be an int from 0 to 3"),
        (lambda: Hyperplane(magnitude=-1.0), "The 'magnitude' parameter of Hyperplane"),
        (lambda: RandomTree(n_numeric=0, n_nominal=0), "must be an int >= 1"),
        (lambda: SEA().read(-1, 5), "The 'begin' parameter of SEA must be an int >= 0"),
        (lambda: next(SEA().chunks(0)), "The 'size' parameter of SEA must be an int >= 1"),
        (lambda: SEA().label([[1.0]]), "SEA labels points with 2 features"),
        (lambda: ArrayStream([[1.0], [2.0]], [1]), "one label for each row"),
        (lambda: ArrayStream(np.empty((0, 2)), []), "at least one row"),
        (lambda: ArrayStream([[np.nan]], [1]), "must be finite"),
        (lambda: ConceptDrift([SEA()], []), "at least two concepts"),
        (lambda: ConceptDrift([SEA(), SEA()], [5, 6]), "one position less"),
        (lambda: ConceptDrift([SEA(), SEA(), SEA()], [6, 5]), "must ascend"),
        (lambda: ConceptDrift([SEA(), Sine()], [5]), "Stream 1 has 2 features; stream 0 has 3"),
        (lambda: ConceptDrift([SEA(), SEA()], [5], [1, 2]), "must be one number or 1. Got 2"),
        (lambda: Blips(SEA(), SEA(), every=10, length=10), "must be an int from 1 to 9"),
        (lambda: AttributeNoise(SEA(), -0.1), "The 'fraction' parameter of AttributeNoise"),
    ],
)
def test_bad_input_earns_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: SEA(1.5),
        lambda: SEA(seed="1"),
        lambda: SEA(noise="much"),
        lambda: SEA(True),
        lambda: ConceptDrift([SEA(), "SEA"], [5]),
    ],
)
def test_the_wrong_type_is_named(call):
    with pytest.raises(TypeError, match="Got"):
        call()
