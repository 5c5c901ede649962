"""Replays of published results of multi-target regression (tables 3.5, 3.7 and 3.9)."""

from __future__ import annotations

import pytest

from svmosaic.datasets import load
from svmosaic.exceptions import DataNotFoundError
from svmosaic.experiments.multi_target_evaluation import evaluate_multitarget

pytestmark = [pytest.mark.papers, pytest.mark.slow]

# aRRMSE, aRMSE and MSE by LIBSVM under the published protocol.
REPLAYED = {
    ("edm", "SVR"): (0.7058, 0.6449, 0.9092),
    ("edm", "SVRCC"): (0.6978, 0.6366, 0.8817),
    ("jura", "SVR"): (0.5952, 0.5794, 1.1167),
    ("andro", "SVR"): (0.4856, 0.4326, 1.5406),
    ("polymer", "SVR"): (0.5573, 0.4402, 1.1873),
}
# Two solvers that stop at a violation of 1e-3 differ by this much.
WITHIN = 5e-4


def replay(name, method, order=None):
    try:
        data = load(name)
    except DataNotFoundError as error:
        pytest.skip(str(error))
    return evaluate_multitarget(method, data.X, data.y, protocol="published", order=order).means()


@pytest.mark.parametrize(("name", "method"), REPLAYED)
def test_the_published_protocol_gives_the_replayed_rows(name, method):
    means = replay(name, method)

    found = (means["arrmse"], means["armse"], means["mse"])
    assert found == pytest.approx(REPLAYED[name, method], abs=WITHIN)


def test_the_printed_value_of_andro_comes_from_the_wrong_order():
    # The order by correlations of the first six inputs, as the published program computed it.
    assert replay("andro", "SVRCC", [1, 0, 4, 5, 2, 3])["arrmse"] == pytest.approx(
        0.4455, abs=WITHIN
    )


def test_the_described_order_is_worse_than_no_chain_on_andro():
    described = replay("andro", "SVRCC")["arrmse"]

    assert described == pytest.approx(0.5155, abs=WITHIN)
    assert described > replay("andro", "SVR")["arrmse"]
