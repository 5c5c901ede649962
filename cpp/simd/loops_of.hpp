// All loops of one SIMD level.
#pragma once

#include "simd/cholesky_impl.hpp"
#include "simd/dot_impl.hpp"
#include "simd/loops_impl.hpp"
#include "simd/square_update_impl.hpp"
#include "simd/steps_impl.hpp"
#include "simd/symmetric_impl.hpp"
#include "simd/tiles_impl.hpp"

namespace svmosaic::simd {

template <Level level, class Real>
constexpr Loops<Real> loops_of() {
    using C = Code<level, Real>;
    using T = Tiles<level, Real>;
    using S = Steps<level, Real>;
    using Product = typename T::SparseProduct;
    using Manhattan = typename T::SparseManhattan;
    using Finish = typename T::Finish;
    return {
        .squared_distances = C::template against_blocks<typename C::SquaredDistance>,
        .dot_products = C::template against_blocks<typename C::DotProduct>,
        .manhattan_distances = C::template against_blocks<typename C::ManhattanDistance>,
        .squared_distances_of = T::template against_blocks<typename C::SquaredDistance>,
        .dot_products_of = T::template against_blocks<typename C::DotProduct>,
        .manhattan_distances_of = T::template against_blocks<typename C::ManhattanDistance>,
        .squared_norms = T::squared_norms,
        .squared_norm = T::squared_norm,
        .distances_of_products = T::distances_of_products,
        .sparse_squared_distances_short =
            T::template against_sparse<Real, Product, Finish::squared_distance>,
        .sparse_squared_distances =
            T::template against_sparse<double, Product, Finish::squared_distance>,
        .sparse_dot_products = T::template against_sparse<double, Product, Finish::product>,
        .sparse_manhattan_distances =
            T::template against_sparse<double, Manhattan, Finish::manhattan_distance>,
        .scaled_exp = C::scaled_exp,
        .add_exps = C::add_exps,
        .add_columns = C::add_columns,
        .dot = Dot<level, Real>::dot,
        .smallest_sum = C::smallest_sum,
        .gather = S::gather,
        .add_scaled = S::add_scaled,
        .add_all_scaled = S::add_all_scaled,
        .multiply_columns = S::multiply_columns,
        .update_scores = S::update_scores,
        .update_outputs = S::update_outputs,
        .follow = S::follow,
        .first_at_most = S::first_at_most,
        .mark_bounds = S::mark_bounds,
        .select_second = S::select_second,
        .update_gradient = S::update_gradient,
        .next_to_leave = S::next_to_leave,
    };
}

template <Level level>
constexpr Algebra algebra_of() {
    return {
        .factorise = Cholesky<level>::factorise,
        .solve_factored = Cholesky<level>::solve_factored,
        .solve_for_column = Cholesky<level>::solve_for_column,
        .multiply = Symmetric<level>::multiply,
        .add_square = Symmetric<level>::add_square,
        .add_squares = SquareUpdate<level>::add_squares,
        .subtract_squares = SquareUpdate<level>::subtract_squares,
    };
}

}  // namespace svmosaic::simd
