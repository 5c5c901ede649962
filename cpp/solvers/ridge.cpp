#include "solvers/ridge.hpp"

#include <algorithm>
#include <numeric>

#include "core/aligned.hpp"
#include "simd/loops.hpp"
#include "solvers/newton_system.hpp"
#include "solvers/square_sums.hpp"

namespace svmosaic {

namespace {

// A sample as z = (x, 1, y), with all of its targets.
template <class Real>
struct RidgeSamples {
    const RidgeProblem<Real>& problem;

    Index n_samples() const { return problem.rows.n_rows; }
    Index size() const { return problem.rows.n_columns + 1 + problem.n_targets; }
    Index stride() const { return simd::round_up(size(), simd::lanes<double>); }
    void write(Index m, double* z) const {
        for (const Real value : problem.rows.row(m)) *z++ = static_cast<double>(value);
        *z++ = 1.0;
        std::ranges::copy(problem.targets.subspan(m * problem.n_targets, problem.n_targets), z);
    }
};

}  // namespace

template <class Real>
std::vector<double> solve_ridge(const RidgeProblem<Real>& problem, ThreadPool& pool,
                                Monitor& monitor) {
    const RidgeSamples<Real> samples{problem};
    SquareSums<RidgeSamples<Real>> sums(samples, pool, monitor);
    std::vector<Index> all(samples.n_samples());
    std::iota(all.begin(), all.end(), Index{0});
    sums.add(all);

    // (X'X + P) v = X'y.
    const Index n = problem.rows.n_columns + 1;
    NewtonSystem system;
    const auto write_row = [&](Index a) {
        const double* P = problem.penalty.data() + a * n;
        double* row = system.row(a);
        for (Index c = NewtonSystem::first_column(a); c < n; ++c) row[c] = sums.row(a)[c] + P[c];
    };
    std::vector<double> weights(problem.n_targets * n, 0.0);
    if (!system.factorise(n, write_row, monitor)) return weights;
    // Two right-hand sides at a time; the last one of an odd number alone.
    AlignedVector<double> b(system.stride(), 0.0);
    AlignedVector<double> c(system.stride(), 0.0);
    for (Index t = 0; t < problem.n_targets; t += 2) {
        const Index other = std::min(t + 1, problem.n_targets - 1);
        for (Index a = 0; a < n; ++a) {
            b[a] = sums.row(a)[n + t];
            c[a] = sums.row(a)[n + other];
        }
        system.solve_factored(b, c);
        std::copy_n(b.begin(), n, weights.begin() + t * n);
        std::copy_n(c.begin(), n, weights.begin() + other * n);
    }
    return weights;
}

template std::vector<double> solve_ridge(const RidgeProblem<float>&, ThreadPool&, Monitor&);
template std::vector<double> solve_ridge(const RidgeProblem<double>&, ThreadPool&, Monitor&);

}  // namespace svmosaic
