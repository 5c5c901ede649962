// MNSVM: the Minimal Norm SVM, which solves the L2-SVM by its nearest point to the origin.
#pragma once

#include "core/kernel_columns.hpp"
#include "core/monitor.hpp"
#include "core/problem.hpp"

namespace svmosaic {

struct MinimalNormSettings {
    double C = 1.0;           // penalty of the squared slack, times the weight of its sample
    double tol = 1e-3;        // accepted spread of the gradient, relative to the squared norm
    Index max_iter = 0;       // updates; 0 means max(10 million, 100 n)
    Index draw = 590;         // samples looked at in one search for violators; 0 means all
    Index seed = 0;           // of the draws
    double cache_mb = 200.0;  // memory for kernel columns
    bool joint_steps = true;  // see JointStep; without them it is the published method
};

// Solves       min  1/2 v' Q v   subject to  v >= 0, sum v = 1,
//                   Q_ij = y_i y_j (k(x_i, x_j) + 1) + [i = j] / C_i.
//              Its solution is that of NNISDA's problem, a, up to scale: a = v / (v' Q v), because
//              both want Q v constant where v > 0 and nowhere smaller.
// Given        a table, targets and weights; C_i = C * weight_i as in nnisda.hpp.
// Returns      the decision function of the L2-SVM, objective and duality gap.
// Method       MDM steps (Mitchell, Demyanov and Malozemov, 1974): from the sample j with v_j > 0
//              that lies farthest in the direction of the point, move weight to the sample i that
//              lies nearest to the origin in that direction. Now and then many go to their
//              joint minimum.
// Stops when   g_j - g_i <= tol v' Q v over all samples.
// Cost         two kernel columns per update, cached by KernelColumns. A large problem is solved on
//              a part of its samples: violators among a random draw join; when a draw has none,
//              all samples are looked at, so the result does not rest on chance.
template <class Real>
Solution solve_minimal_norm(const Rows<Real>& rows, const KernelSpec& kernel,
                            const Problem& problem, const MinimalNormSettings& settings,
                            Index cache_bytes, ThreadPool& pool, Monitor& monitor);

}  // namespace svmosaic
