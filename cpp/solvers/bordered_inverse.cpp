#include "solvers/bordered_inverse.hpp"

#include <algorithm>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// Rows are whole vectors of any level. Beyond their end they hold zeros.
constexpr Index row_unit = 16;
// Room is made for more variables than are asked for, which come one by one.
constexpr Index room_ahead = 32;

}  // namespace

void BorderedInverse::make_room(Index n) {
    const Index needed = simd::round_up(n + 1, row_unit);
    if (needed <= stride_) return;
    const Index stride = needed + room_ahead;
    AlignedVector<double> larger(stride * stride, 0.0);
    for (Index a = 0; stride_ > 0 && a <= n_; ++a) {
        std::copy_n(row(a), n_ + 1, larger.data() + a * stride);
    }
    matrix_.swap(larger);
    stride_ = stride;
    for (auto* values : {&solution_, &column_, &right_}) values->resize(stride, 0.0);
}

bool BorderedInverse::add(std::span<const double> values, double diagonal, double right,
                          double least_pivot) {
    make_room(n_ + 1);
    const Index last = n_ + 1;
    const Index length = simd::round_up(last + 1, row_unit);
    if (n_ == 0) {
        // 0 1   has the inverse   -k 1
        // 1 k                      1 0
        for (Index a = 0; a < 2; ++a) std::fill_n(row(a), length, 0.0);
        row(0)[0] = -diagonal;
        row(0)[1] = row(1)[0] = 1.0;
        solution_[0] = right;
        solution_[1] = 0.0;
        n_ = 1;
        return true;
    }
    // What a unit of the new variable takes from the others.
    const auto& algebra = simd::algebra();
    right_[0] = 1.0;
    std::copy(values.begin(), values.end(), right_.begin() + 1);
    algebra.multiply(matrix_.data(), stride_, n_ + 1, right_.data(), column_.data());
    double pivot = diagonal;
    for (Index a = 0; a <= n_; ++a) {
        pivot -= right_[a] * column_[a];
        right -= right_[a] * solution_[a];
    }
    if (!(pivot > least_pivot)) return false;
    solution_[last] = right / pivot;
    for (Index a = 0; a <= n_; ++a) solution_[a] -= solution_[last] * column_[a];

    if (last % row_unit == 0) {
        for (Index a = 0; a < last; ++a) std::fill_n(row(a) + last, row_unit, 0.0);
    }
    std::fill_n(row(last), length, 0.0);
    std::fill(column_.begin() + last, column_.begin() + length, 0.0);
    column_[last] = -1.0;
    algebra.add_square(matrix_.data(), stride_, last + 1, 1.0 / pivot, column_.data());
    n_ = last;
    return true;
}

bool BorderedInverse::remove(Index variable) {
    const Index gone = variable + 1;
    const Index length = simd::round_up(n_ + 1, row_unit);
    std::copy_n(row(gone), length, column_.begin());
    const double pivot = column_[gone];
    // Of one variable alone nothing but its value is left, which nobody reads.
    if (n_ > 1) {
        if (!(pivot > 0.0)) return false;
        const double size = solution_[gone] / pivot;
        for (Index a = 0; a <= n_; ++a) solution_[a] -= size * column_[a];
        simd::algebra().add_square(matrix_.data(), stride_, n_ + 1, -1.0 / pivot, column_.data());
    }
    if (gone != n_) {
        for (Index a = 0; a < n_; ++a) row(a)[gone] = row(a)[n_];
        std::copy_n(row(n_), length, row(gone));
        row(gone)[gone] = row(n_)[n_];
        solution_[gone] = solution_[n_];
    }
    for (Index a = 0; a < n_; ++a) row(a)[n_] = 0.0;
    --n_;
    return true;
}

void BorderedInverse::solve(std::span<const double> right) {
    std::copy(right.begin(), right.end(), right_.begin());
    simd::algebra().multiply(matrix_.data(), stride_, n_ + 1, right_.data(), solution_.data());
}

}  // namespace svmosaic
