// All loops of one SIMD level, in the order of the table in loops.hpp.
#pragma once

#include "simd/loops_impl.hpp"
#include "simd/tiles_impl.hpp"

namespace svmosaic::simd {

template <Level level, class Real>
constexpr Loops<Real> loops_of() {
    using C = Code<level, Real>;
    using T = Tiles<level, Real>;
    using Finish = typename T::Finish;
    return {
        C::template against_blocks<typename C::SquaredDistance>,
        C::template against_blocks<typename C::DotProduct>,
        C::template against_blocks<typename C::ManhattanDistance>,
        T::template against_blocks<typename C::SquaredDistance>,
        T::template against_blocks<typename C::DotProduct>,
        T::template against_blocks<typename C::ManhattanDistance>,
        T::squared_norms,
        T::squared_norm,
        T::distances_of_products,
        T::template against_sparse<Real, typename T::SparseProduct, Finish::squared_distance>,
        T::template against_sparse<double, typename T::SparseProduct, Finish::squared_distance>,
        T::template against_sparse<double, typename T::SparseProduct, Finish::product>,
        T::template against_sparse<double, typename T::SparseManhattan, Finish::manhattan_distance>,
        C::scaled_exp,
        C::add_exps,
        C::add_scaled,
        C::smallest_sum,
        C::update_scores,
        C::select_second,
        C::update_gradient};
}

}  // namespace svmosaic::simd
