"""The parts of the stream learners: windows, hyperplanes, change points, comparisons, rules."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from svmosaic.classification.stream import expert_pool, primal_svm, stream_state
from svmosaic.classification.stream.change_point import likeliest_change
from svmosaic.classification.stream.chunk_scaling import standardise, to_unit_range
from svmosaic.classification.stream.expert import Expert
from svmosaic.classification.stream.expert_pool import ExpertPool
from svmosaic.classification.stream.families import (
    FAMILIES,
    Choice,
    Grid,
    blocked_folds,
    interleaved_folds,
    train,
    train_landmarks,
    tune,
)
from svmosaic.classification.stream.in_turn import InTurn
from svmosaic.classification.stream.olla_l2_rule import OllaL2Rule
from svmosaic.classification.stream.primal_svm import Precision, fit_planes, norm_of_landmarks
from svmosaic.classification.stream.recent_samples import RecentSamples
from svmosaic.classification.stream.stream_models import Constant, class_values, predict_codes
from svmosaic.classification.stream.trainings import Training, run_side_by_side

GRID = Grid((0.05, 0.5), (0.1, 1.0), (0.1, 1.0, 10.0))


def blobs(n_samples=300, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n_samples)
    centres = 4.0 * rng.normal(size=(n_classes, 4))
    return centres[codes] + rng.normal(size=(n_samples, 4)), codes


# Windows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[3, 4, 5, 6], [20], [1] * 15, [9, 2]])
def test_window_holds_the_newest_samples(sizes):
    window = RecentSamples(8)
    numbers = np.arange(sum(sizes))
    begin = 0
    for size in sizes:
        part = numbers[begin : begin + size]
        window.add(part[:, None].astype(float), part)
        begin += size

    # The newest chunk stays whole.
    kept = max(8, sizes[-1]) if begin >= 8 else begin
    assert len(window) == kept
    for count in (1, 3, kept, kept + 5):
        X, codes = window.last(count)
        assert codes.tolist() == numbers[-min(count, kept) :].tolist()
        assert X[:, 0].tolist() == codes.tolist()


def test_window_counts_the_samples_of_its_last_chunks():
    window = RecentSamples(8)
    for size in (3, 4, 2):
        window.add(np.zeros((size, 1)), np.zeros(size, dtype=np.int64))

    assert [window.n_of_last(count) for count in (1, 2, 3, 9)] == [2, 6, 8, 8]


def test_window_can_forget():
    window = RecentSamples(8)
    window.add(np.zeros((3, 1)), np.zeros(3, dtype=np.int64))
    window.forget()

    assert len(window) == 0


# Scalers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (200, 11)])
def test_scalers_equal_their_twin(dtype, shape):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape[1])).astype(dtype)
    new = np.asfortranarray(X + X.std(axis=0))
    new[0, 0] = 1e30

    scaler = standardise(X)

    mean, deviation = (f(X.astype(np.float64), axis=0) for f in (np.mean, np.std))
    np.testing.assert_allclose(scaler.offset, mean, rtol=1e-12)
    np.testing.assert_allclose(scaler.scale, np.where(deviation > 0, deviation, 1.0), rtol=1e-12)
    exact = (new.astype(np.float64) - scaler.offset) / scaler.scale
    assert scaler(new).dtype == np.float32
    np.testing.assert_array_equal(scaler(new), np.clip(exact, -1e6, 1e6).astype(np.float32))


def test_scalers_and_features_that_do_not_vary():
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0], [5.0, 5.0, 3.0]])

    unit, standard = to_unit_range(X)(X), standardise(X)(X)

    assert unit.min(axis=0).tolist() == [0.0, 0.0, 0.0]
    assert unit.max(axis=0).tolist() == [1.0, 0.0, 1.0]
    np.testing.assert_allclose(standard.mean(axis=0), 0.0, atol=1e-7)
    np.testing.assert_allclose(standard.std(axis=0), [1.0, 0.0, 1.0], rtol=1e-6)
    assert np.isfinite(unit).all()


# Weights of features -------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [3, 8])
def test_pairs_separate_blobs(n_classes):
    X, labels = blobs(60 * n_classes, n_classes, seed=2)
    # A class without samples is in no pair.
    labels = np.where(labels > 0, labels + 1, labels)

    planes = fit_planes(X, labels, 1.0, Precision(1e-4, 20), "ovo")

    pairs = list(combinations([0, *range(2, n_classes + 1)], 2))
    assert len(planes) == len(pairs)
    for (i, j), weights in zip(pairs, planes, strict=True):
        decisions = X @ weights[:-1] + weights[-1]
        assert np.mean(decisions[labels == i] > 0) > 0.9
        assert np.mean(decisions[labels == j] < 0) > 0.9


def test_scores_are_those_of_least_squares():
    X, labels = blobs(540, 9, seed=2)

    planes = fit_planes(X, labels, 1.0, Precision(1e-4, 20), "ovr")

    A = np.column_stack([X, np.ones(540)])
    matrix = A.T @ A + np.diag([1.0, 1.0, 1.0, 1.0, 1e-6])
    expected = np.linalg.solve(matrix, A.T @ (labels[:, None] == np.arange(9))).T
    np.testing.assert_allclose(planes, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_scaled_norm_is_a_scaled_penalty(multi_class):
    X, labels = blobs(300, 4, seed=3)
    precise = Precision(0.0, 50)

    once = fit_planes(X, labels, 2.0, precise, multi_class)
    other = fit_planes(X, labels, 4.0, precise, multi_class, norm=2.0 * np.eye(4))

    # But for the trace of penalty on the intercept.
    np.testing.assert_allclose(other, once, rtol=1e-3, atol=1e-4)


def test_norm_of_landmarks_is_definite_even_for_copies():
    X = np.random.default_rng(3).normal(size=(30, 2))
    X[10:20] = X[:10]
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2)).astype(np.float32)

    norm = norm_of_landmarks(K)

    assert np.linalg.eigvalsh(norm).min() > 0.0
    np.testing.assert_allclose(norm, K, atol=2e-6)


@pytest.mark.parametrize(("n_classes", "multi_class"), [(2, "ovo"), (3, "ovo"), (10, "ovr")])
def test_planes_do_not_depend_on_threads(n_classes, multi_class):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1200, 4))
    labels = np.arange(1200) % n_classes
    X[:, 0] += labels
    K = np.exp(-0.2 * ((X[:, None] - X[None, ::10]) ** 2).sum(axis=2))
    norm = norm_of_landmarks(K[::10])

    one, two = (
        fit_planes(K, labels, 1.0, Precision(3e-2, 8), multi_class, norm=norm, n_threads=n)
        for n in (1, 2)
    )

    np.testing.assert_array_equal(one, two)


# Families -------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_families_learn_blobs(family, n_classes):
    X, codes = blobs(n_classes=n_classes)
    scaler = standardise(X)

    choice, error = tune(family, scaler(X), codes, GRID, interleaved_folds(codes, 5), 1)
    model = train(family, X, codes, scaler, choice, 1)

    assert error < 0.1
    assert np.mean(predict_codes(model, X) == codes) > 0.9
    assert model.classes.tolist() == list(range(n_classes))


@pytest.mark.parametrize("family", FAMILIES)
def test_labels_that_are_missing_are_never_predicted(family):
    X, codes = blobs(n_classes=3)
    codes = np.array([1, 3, 4])[codes]

    model = train(family, X, codes, standardise(X), Choice(gamma=0.25), 1)
    values = class_values(model, X, 6, 1)

    assert values.shape == (300, 6)
    assert values.argmax(axis=1).tolist() == predict_codes(model, X).tolist()
    assert (values[:, [0, 2, 5]].max(axis=1) < values[:, [1, 3, 4]].min(axis=1)).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_one_class_makes_a_constant_model(family):
    X = np.random.default_rng(0).normal(size=(20, 2))
    codes = np.full(20, 3)

    choice, error = tune(family, standardise(X)(X), codes, GRID, interleaved_folds(codes, 5), 1)
    model = train(family, X, codes, standardise(X), choice, 1)

    assert error == 0.0
    assert predict_codes(model, X).tolist() == [3] * 20


def test_trainings_keep_their_order_and_do_not_depend_on_threads():
    X, codes = blobs(4400, 2, seed=5)
    choice = Choice(gamma=0.1)
    # Some run side by side, between others that do not: too few samples, another family.
    sizes = [
        ("plain", 900),
        ("plain", 1100),
        ("linear", 1200),
        ("landmark", 2000),
        ("linear", 4400),
        ("refined", 1000),
    ]
    trainings = [
        Training(Expert(family, size), X[:size], codes[:size], choice) for family, size in sizes
    ]
    assert [t.wants_one_thread for t in trainings] == [False, True, False, False, True, True]
    # Three classes of 3000 samples are too many for a kernel machine, and enough for hyperplanes.
    assert not Training(Expert("refined", 3000), *blobs(3000, 3), choice).wants_one_thread
    assert Training(Expert("linear", 3000), *blobs(3000, 3), choice).wants_one_thread

    alone, together = (run_side_by_side(trainings, n_threads) for n_threads in (1, 3))
    for training, one, other in zip(trainings, alone, together, strict=True):
        expected = training.run(1).decide(X, 1)
        assert np.array_equal(one.decide(X, 1), expected)
        assert np.array_equal(other.decide(X, 1), expected)
        assert training.expert.model is None


def test_linear_model_goes_on_from_the_one_before():
    X, codes = blobs(n_classes=4)
    scaler = standardise(X)
    cold = train("linear", X, codes, scaler, Choice(C=0.1), 1)

    warm = train("linear", X, codes, scaler, Choice(C=0.1), 1, before=cold)

    np.testing.assert_allclose(warm.weights, cold.weights, rtol=0.05, atol=0.01)


@pytest.mark.parametrize("family", FAMILIES)
def test_only_the_last_samples_are_tested(family):
    X, codes = blobs(n_classes=2)
    other = codes.copy()
    other[:200] = np.random.default_rng(7).integers(2, size=200)
    folds = interleaved_folds(codes, 5)

    _, error = tune(family, standardise(X)(X), other, GRID, folds, 1)
    _, late_error = tune(family, standardise(X)(X), other, GRID, folds, 1, 200)

    # Labels of the first two thirds are random: no model predicts them.
    assert error > 0.2
    assert late_error < error


def test_folds_share_the_classes():
    codes = np.random.default_rng(0).integers(3, size=500)

    for folds in (interleaved_folds(codes, 5), blocked_folds(codes, 5)):
        for code in range(3):
            sizes = np.bincount(folds[codes == code], minlength=5)
            assert sizes.max() - sizes.min() <= 1
    assert (np.diff(blocked_folds(codes, 5)[codes == 1]) >= 0).all()


def test_best_vectors_come_back_unscaled():
    X, codes = blobs()
    model = train("refined", X, codes, standardise(X), Choice(gamma=0.25), 1)

    vectors, labels = model.best_vectors(10)

    assert vectors.shape == (10, 4)
    for vector, label in zip(vectors, labels, strict=True):
        nearest = np.abs(X - vector).max(axis=1).argmin()
        np.testing.assert_allclose(X[nearest], vector, atol=1e-5)
        assert codes[nearest] == label


# Change points --------------------------------------------------------------------------------


def change_by_trying(wrong, expected):
    """Return the likeliest change, every suffix by itself."""
    best, place = 0.0, 0
    for begin in range(len(wrong)):
        part = wrong[begin:]
        share = part.mean()
        if share > expected:
            ratio = np.where(part, share / expected, (1 - share) / (1 - expected))
            evidence = np.log(ratio).sum()
            if evidence > best:
                best, place = evidence, begin
    return place, best


@pytest.mark.parametrize("seed", range(10))
def test_likeliest_change_is_found(seed):
    rng = np.random.default_rng(seed)
    wrong = np.concatenate([rng.random(150) < 0.1, rng.random(50) < rng.random()])

    change = likeliest_change(wrong, 0.1)
    begin, evidence = change_by_trying(wrong, 0.1)

    assert change.begin == begin
    assert change.evidence == pytest.approx(evidence, abs=1e-9)


def test_no_errors_are_no_evidence():
    assert likeliest_change(np.zeros(100, dtype=bool), 0.1).evidence == 0.0


# Comparisons ----------------------------------------------------------------------------------


def test_experts_are_compared_on_common_chunks():
    one, other = Expert("plain", 1000), Expert("linear", 1000)
    for time, wrong in enumerate([50, 10, 10]):
        one.note(time, wrong, 1000)
    for time in (1, 2):
        other.note(time, 30, 1000)

    found = one.against(other, 2)

    assert found.n_chunks == 2
    assert found.gap == pytest.approx(-0.02)
    assert found.noise == pytest.approx(np.sqrt(0.04 / 2000))
    assert Expert("plain", 1).against(other, 2).n_chunks == 0


def test_old_errors_are_forgotten():
    expert = Expert("plain", 1000)
    for time in range(100):
        expert.note(time, 1, 10)

    assert len(expert.errors) == 12


def test_an_expert_knows_that_it_got_worse():
    expert = Expert("plain", 1000)
    for time in range(5):
        expert.note(time, 100, 1000)
        assert not expert.got_worse(time)
    expert.note(5, 150, 1000)

    assert expert.got_worse(5)


def two_equals(n_chunks):
    """Return a pool of a dear and a cheap expert that erred alike, the dear one leading."""
    pool = ExpertPool(chunk_size=1000, memory=9000, carry=0, detector=None, alarm=3.0, n_threads=1)
    known = np.array([0])
    pool.experts = [
        Expert("plain", 3000, Constant(known, n_support=1000)),
        Expert("landmark", 9000, Constant(known, n_support=300)),
    ]
    for expert in pool.experts:
        for time in range(n_chunks):
            expert.note(time, 50, 1000)
    pool.place, pool.time = 0, n_chunks - 1
    return pool


@pytest.mark.parametrize(("n_chunks", "place"), [(11, 0), (12, 1)])
def test_of_two_equals_the_cheaper_leads_after_a_long_trial(n_chunks, place):
    pool = two_equals(n_chunks)

    pool._choose()

    assert pool.place == place


def test_of_two_equals_the_dearer_rests_as_long_as_it_was_tried():
    pool = two_equals(12)
    dear, cheap = pool.experts

    pool._send_to_rest()
    assert cheap.rest == 0
    pool.place = 1
    pool._send_to_rest()

    assert (dear.rest, dear.wakes_at) == (12, 24)


# When experts learn ---------------------------------------------------------------------------


def noisy(n_samples, rng, share=0.5):
    """Return features that say nothing, and codes of which a share is 1."""
    X = rng.normal(size=(n_samples, 3))
    return X, (rng.uniform(size=n_samples) < share).astype(np.int64)


def separable(n_samples, rng, noise=0.1):
    """Return features of which the first decides, but for a share of the codes."""
    X = rng.normal(size=(n_samples, 3))
    return X, ((X[:, 0] > 0.0) ^ (rng.uniform(size=n_samples) < noise)).astype(np.int64)


def new_pool(chunk_size=200, memory=3200):
    return ExpertPool(
        chunk_size=chunk_size, memory=memory, carry=0, detector=None, alarm=3.0, n_threads=1
    )


def test_the_exact_svm_waits_while_chunks_are_small():
    rng = np.random.default_rng(0)
    pool = new_pool()
    pool.learn(*separable(200, rng))
    exact = next(one for one in pool.experts if (one.family, one.window) == ("refined", 200))
    plain = next(one for one in pool.experts if (one.family, one.window) == ("plain", 200))

    due = []
    for _ in range(3):
        pool.window.add(*separable(40, rng))
        due.append([pool._is_due(expert, len(pool.window)) for expert in (plain, exact)])
        pool.time += 1

    assert due == [[True, False], [True, True], [True, True]]


def test_linear_experts_learn_ever_more_rarely_but_never_after_half_their_window():
    rng = np.random.default_rng(0)
    pool = new_pool()
    for _ in range(40):
        pool.learn(*separable(200, rng))

    pauses = {e.window // 200: e.pause for e in pool.experts if e.family == "linear"}
    assert pauses == {0: 1, 1: 1, 2: 1, 4: 2, 8: 4, 16: 8}


def test_parameters_of_kernel_models_that_learned_nothing_are_tuned_again():
    rng = np.random.default_rng(0)
    pool = new_pool()
    pool.learn(*noisy(200, rng, share=0.7))
    assert pool.tuned_on == {"plain": 0, "refined": 0, "linear": 200, "landmark": 0}

    pool.learn(*separable(200, rng))
    pool.learn(*separable(200, rng))

    assert pool.tuned_on["plain"] > 0
    assert pool.tuned_on["refined"] > 0


def test_noise_is_not_searched_again_and_again(monkeypatch):
    rng = np.random.default_rng(0)
    pool = new_pool()
    pool.learn(*noisy(200, rng, share=0.2))
    families = []

    def watched(family, *args, **options):
        families.append(family)
        return tune(family, *args, **options)

    monkeypatch.setattr(expert_pool, "tune", watched)
    for _ in range(30):
        pool.learn(*noisy(200, rng, share=0.2))

    assert pool.n_drifts == 0
    assert 1 <= families.count("plain") <= 12
    assert 1 <= families.count("refined") <= 12


def test_a_resting_kernel_model_wakes_when_it_can_learn_from_twice_as_many_samples():
    rng = np.random.default_rng(0)
    pool = new_pool(chunk_size=400)
    pool.learn(*separable(40, rng))
    kernel = [one for one in pool.experts if one.family != "linear" and one.window == 400]
    for expert in kernel:
        expert.rest, expert.wakes_at = 100, 101

    pool.window.add(*separable(30, rng))
    pool._train(pool.experts)
    assert [one.trained_on for one in kernel] == [40, 40]

    pool.time += 1
    pool.window.add(*separable(30, rng))
    pool._train(pool.experts)
    assert [one.trained_on for one in kernel] == [100, 100]
    assert [(one.rest, one.wakes_at, one.errors) for one in kernel] == [(0, 0, {})] * 2


def test_a_concept_that_the_parameters_before_do_not_suit_is_noticed():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(16_000, 2))
    codes = ((X - 0.5) ** 2).sum(axis=1) < 0.15
    codes[6000:] ^= X[6000:, 0] * 4 % 1 < 0.25
    codes = codes.astype(np.int64)

    pool, wrong = new_pool(1000, 16_000), []
    for begin in range(0, len(X), 1000):
        chunk = X[begin : begin + 1000], codes[begin : begin + 1000]
        if begin >= 8000:
            wrong.append(np.mean(predict_codes(pool.model, chunk[0]) != chunk[1]))
        pool.learn(*chunk)

    assert pool.n_drifts == 1
    assert np.mean(wrong) < 0.1


def test_experts_without_a_model_get_one_even_where_chunks_are_smaller_than_full_ones():
    rng = np.random.default_rng(0)
    pool = new_pool(chunk_size=200)
    pool.learn(*separable(200, rng, noise=0.2))
    for _ in range(30):
        pool.learn(*separable(20, rng, noise=0.2))

    assert all(one.model is not None for one in pool.experts if one.window <= 600)


# Leaders without errors -----------------------------------------------------------------------


def chunks_of_one_rule(n_chunks, is_turned=False):
    """Yield chunks whose first feature decides, far from its limit."""
    rng = np.random.default_rng(0)
    for _ in range(n_chunks):
        codes = rng.integers(2, size=200)
        X = rng.normal(size=(200, 3))
        X[:, 0] = 10.0 * codes + rng.uniform(size=200)
        yield X, 1 - codes if is_turned else codes


def test_an_expert_is_faultless_after_twelve_chunks_without_errors():
    expert = Expert("plain", 1000)
    for time in range(12):
        assert not expert.is_faultless
        expert.note(time, 0, 10)
    assert expert.is_faultless
    expert.note(12, 1, 10)

    assert not expert.is_faultless


def test_nobody_learns_beside_a_faultless_leader_and_all_do_when_it_errs():
    pool = ExpertPool(chunk_size=200, memory=1800, carry=0, detector=None, alarm=3.0, n_threads=1)
    for X, codes in chunks_of_one_rule(20):
        pool.learn(X, codes)
    assert pool.leader.is_faultless
    trained = [expert.trained_at for expert in pool.experts]

    for X, codes in chunks_of_one_rule(3):
        pool.learn(X, codes)
    assert [expert.trained_at for expert in pool.experts] == trained

    (chunk,) = chunks_of_one_rule(1)
    chunk[1][:2] = 1 - chunk[1][:2]
    pool.learn(*chunk)
    tested = [expert for expert in pool.experts if pool.time - 1 in expert.errors]
    assert len(tested) > 1
    assert max(expert.trained_at for expert in pool.experts) == pool.time - 1
    assert pool.n_drifts == 0


def test_a_pool_with_a_faultless_leader_notices_a_change_at_once():
    pool = ExpertPool(chunk_size=200, memory=1800, carry=0, detector=None, alarm=3.0, n_threads=1)
    for X, codes in chunks_of_one_rule(20):
        pool.learn(X, codes)
    for X, codes in chunks_of_one_rule(1, is_turned=True):
        pool.learn(X, codes)
        assert np.array_equal(predict_codes(pool.model, X, 1), codes)

    assert pool.n_drifts == 1


@pytest.mark.parametrize("factors", [[1e-300, 1.0, 1e160], [1e-162, 1e-3, 1e300], [1e-290] * 3])
def test_features_of_any_size_are_standardised(factors):
    X = np.random.default_rng(0).normal(5.0, 2.0, (300, 3))

    Z = standardise(X * factors)(X * factors)

    np.testing.assert_allclose(Z, (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 1e-310])
def test_a_constant_feature_is_zero(value):
    assert not standardise(np.full((7, 1), value))(np.full((7, 1), value)).any()


@pytest.mark.parametrize(("n_classes", "multi_class"), [(2, "ovo"), (3, "ovo"), (10, "ovr")])
def test_wide_samples_have_the_same_hyperplanes(n_classes, multi_class, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 90)).astype(np.float32)
    labels = np.arange(40) % n_classes
    precision = Precision(1e-8, 30)

    wide = fit_planes(X, labels, 0.1, precision, multi_class)
    again = fit_planes(X, labels, 0.1, precision, multi_class, start=wide)
    monkeypatch.setattr(primal_svm, "_WIDE", np.inf)
    expected = fit_planes(X, labels, 0.1, precision, multi_class)

    np.testing.assert_allclose(wide, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(again, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("family", "n_classes", "multi_class"),
    [("linear", 8, "ovo"), ("linear", 9, "ovr"), ("landmark", 3, "ovo"), ("landmark", 4, "ovr")],
)
def test_models_of_many_classes_have_a_score_for_each(family, n_classes, multi_class):
    X, codes = blobs(600, n_classes, seed=6)
    choice, scaler = Choice(gamma=0.25), standardise(X)

    if family == "linear":
        model = train(family, X, codes, scaler, choice, 1)
    else:
        model = train_landmarks(X, codes, choice, 50, scaler, 1)
    decisions = model.decide(X, 1)

    assert model.multi_class == multi_class
    assert np.mean(predict_codes(model, X) == codes) > 0.9
    if multi_class == "ovr":
        assert decisions.shape == (600, n_classes)
        np.testing.assert_array_equal(predict_codes(model, X), decisions.argmax(axis=1))
        np.testing.assert_array_equal(class_values(model, X, n_classes, 1), decisions)


# Stored state ---------------------------------------------------------------------------------


def test_a_stored_rule_of_olla_l2_has_a_model_of_pairs():
    X, codes = blobs(200, 5)
    settings = {"gamma": 1.0, "C": 1.0, "epochs": 1, "budget": 50, "decay": 0.1}
    rule = OllaL2Rule(**settings, keep=0.0, rebuild=1.0, n_threads=1)
    rule._model = train_landmarks(X, codes, Choice(gamma=0.25), 20, standardise(X), 1)

    with pytest.raises(ValueError, match="'rule' has a model without pairs of classes"):
        stream_state._check_olla_l2(rule, "rule", {"n_classes": 5})


def test_stored_guesses_are_compared_in_their_order():
    turn = InTurn(n_classes=2)
    turn.compared = ["last", "model", "switch"]

    with pytest.raises(ValueError, match="'turn' compares the guesses in another order"):
        stream_state._check_in_turn(turn, "turn", {"n_classes": 2, "n_features": 1})
