#include "solvers/tune_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/aligned.hpp"
#include "core/infinity.hpp"
#include "core/large_buffer.hpp"
#include "core/scratch_pool.hpp"
#include "core/thread_pool.hpp"
#include "simd/loops.hpp"
#include "solvers/stored_dual.hpp"

namespace svmosaic {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The training samples of a fold as variables of the dual.
struct Variables {
    std::vector<Index> samples;
    std::vector<int> places;
    std::vector<double> targets, weights, diagonal;

    void take(std::span<const double> target, std::span<const double> weight) {
        samples.clear();
        places.clear();
        targets.clear();
        weights.clear();
        for (Index i = 0; i < ssize(weight); ++i) {
            if (!(weight[i] > 0.0)) continue;
            samples.push_back(i);
            places.push_back(static_cast<int>(i));
            targets.push_back(target[i]);
            weights.push_back(weight[i]);
        }
        diagonal.assign(samples.size(), 1.0);
    }
    StoredVariables view() const { return {samples, places, targets, weights, diagonal}; }
};

// The last state of a solver: coefficients, what they sum up to at every place, and the C of both.
struct SavedState {
    std::vector<double> beta;
    AlignedVector<double> values;
    double C = 0.0;
};

struct Scratch {
    Index link = -1;                // whose distances these are
    LargeBuffer<double> distances;  // of the widened samples
    LargeBuffer<double> kernel_values;
    Variables variables;
    StoredDual<double> dual;
    AlignedVector<double> values, other_values;
    std::vector<double> other_beta;
    SavedState saved;
};

// What is known of the candidates of one gamma: C slowest, epsilon fastest.
struct GammaOutcome {
    std::vector<double> errors;
    std::vector<std::vector<double>> by_fold;      // the same, by candidate and fold
    std::vector<std::vector<double>> predictions;  // by candidate and sample
};

class RegressionTuner {
  public:
    RegressionTuner(const RegressionTable& table, std::span<const RegressionLink> links,
                    const RegressionTuneSettings& settings, Index n_threads, Monitor& monitor,
                    std::vector<double>* kept)
        : table_(table),
          links_(links),
          settings_(settings),
          monitor_(monitor),
          kept_(kept),
          pool_(n_threads),
          n_(table.size()),
          stride_(simd::round_up(n_, simd::lanes<double>)),
          gamma_order_(ascending(settings.gammas)),
          C_order_(ascending(settings.Cs)),
          epsilon_order_(ascending(settings.epsilons)),
          n_candidates_(settings.gammas.size() * settings.Cs.size() * settings.epsilons.size()),
          results_(links.size()),
          bounds_(links.size(), infinity),
          best_folds_(links.size(), std::vector<double>(table.folds.size(), 0.0)),
          fold_orders_(links.size(), std::vector<Index>(table.folds.size())),
          states_(links.size()) {
        for (auto& order : fold_orders_) std::iota(order.begin(), order.end(), Index{0});
        // From wide tubes to narrow ones: the first models have few support vectors.
        std::reverse(epsilon_order_.begin(), epsilon_order_.end());
        for (auto& result : results_) result.errors.assign(n_candidates_, infinity);
        for (auto& result : results_) result.held_out.assign(n_, nan);
        if (kept_ != nullptr) kept_->assign(links.size() * n_candidates_ * n_folds() * n_, 0.0);
    }

    std::vector<RegressionResult> run() {
        const Index n_links = ssize(links_);
        const Index n_gammas = ssize(settings_.gammas);
        const bool searches = n_folds() > 0;
        monitor_.expect_problems(n_links * (searches ? n_gammas + 2 : 1));
        if (searches) {
            for_each(n_links, [&](Index l, Scratch& scratch) {
                if (link(l).first >= 0) try_first(l, scratch);
                if (looks_around(l)) look_around(l, scratch);
            });
            // The best of each (link, gamma) is chosen in the end, so that the order in which
            // threads finish does not matter.
            std::vector<GammaOutcome> outcomes(n_links * n_gammas);
            for_each(n_links * n_gammas, [&](Index item, Scratch& scratch) {
                const Index l = item / n_gammas;
                if (looks_around(l)) return;
                search(l, item % n_gammas, std::vector<bool>(per_gamma(), true), scratch,
                       outcomes[item]);
            });
            if (monitor_.stopped()) return results_;
            for (Index item = 0; item < n_links * n_gammas; ++item) {
                take(item / n_gammas, item % n_gammas, outcomes[item]);
            }
        }
        for_each(n_links, [&](Index l, Scratch& scratch) { fit_best(l, scratch); });
        return results_;
    }

  private:
    Index n_folds() const { return table_.folds.size(); }
    Index per_gamma() const { return settings_.Cs.size() * settings_.epsilons.size(); }
    // The number of a candidate from its place among those of a gamma.
    Index candidate(Index of_gamma, Index g) const {
        return of_gamma * settings_.gammas.size() + g;
    }
    Index gamma_of(Index cand) const { return cand % settings_.gammas.size(); }
    RegressionResult& result(Index l) { return results_[l]; }
    const RegressionLink& link(Index l) const { return links_[l]; }
    bool looks_around(Index l) const { return !settings_.complete && link(l).first >= 0; }
    KernelMatrix<double> matrix(const Scratch& scratch) const {
        return {scratch.kernel_values.data(), stride_};
    }

    template <class Task>
    void for_each(Index n, const Task& task) {
        pool_.run(
            n,
            [&](Index i) {
                if (monitor_.should_stop(0)) return;
                auto scratch = idle_.borrow();
                task(i, *scratch);
                idle_.give_back(std::move(scratch));
                monitor_.problem_done();
            },
            [&] { monitor_.should_stop(0); });
    }

    // The kernel matrix of a link: exp(-gamma (|x_i - x_j|^2 + sum over columns (v_i - v_j)^2)),
    // or the same with absolute differences.
    void widen(Index l, Scratch& scratch) {
        if (scratch.link == l) return;
        scratch.link = -1;
        scratch.distances.require(n_ * stride_);
        for (Index i = 0; i < n_; ++i) {
            if (monitor_.should_stop(0)) return;
            double* row = scratch.distances.data() + i * stride_;
            std::copy_n(table_.distances.data() + i * n_, n_, row);
            std::fill(row + n_, row + stride_, 0.0);
            for (const auto& column : link(l).columns) {
                const double* values = column.data();
                const double value = values[i];
                if (settings_.absolute) {
                    for (Index j = 0; j < n_; ++j) row[j] += std::abs(value - values[j]);
                    continue;
                }
                for (Index j = 0; j < n_; ++j) {
                    const double difference = value - values[j];
                    row[j] += difference * difference;
                }
            }
        }
        scratch.link = l;
    }
    // Row by row: thousands of samples take long enough for a user to ask for the end. After that
    // the matrix is not whole, and nobody may use it.
    void apply(Index l, Index g, Scratch& scratch) {
        widen(l, scratch);
        scratch.kernel_values.require(n_ * stride_);
        for (Index i = 0; i < n_; ++i) {
            if (monitor_.should_stop(0)) return;
            double* row = scratch.kernel_values.data() + i * stride_;
            std::copy_n(scratch.distances.data() + i * stride_, stride_, row);
            simd::loops<double>().scaled_exp(row, stride_, -settings_.gammas[g]);
        }
    }

    void bind(std::span<const double> target, std::span<const double> weights, Scratch& scratch) {
        const PlaceRange everywhere{0, stride_};
        scratch.variables.take(target, weights);
        scratch.dual.bind(matrix(scratch), std::span(&everywhere, 1), scratch.variables.view(),
                          Loss::epsilon_insensitive);
        scratch.saved.C = 0.0;
    }

    // values[p] = sum_v k(sample at p, x_v) beta_v
    void expand(std::span<const double> beta, const Scratch& scratch,
                AlignedVector<double>& values) const {
        values.assign(stride_, 0.0);
        for (Index v = 0; v < ssize(beta); ++v) {
            if (beta[v] == 0.0) continue;
            simd::loops<double>().add_scaled(matrix(scratch).row(scratch.variables.samples[v]),
                                             beta[v], values.data(), stride_);
        }
    }

    // The dual objective of coefficients that were not found here.
    double objective(std::span<const double> beta, const AlignedVector<double>& values,
                     double epsilon, const Variables& variables) const {
        double sum = 0.0;
        for (Index v = 0; v < ssize(beta); ++v) {
            const double value = values[variables.places[v]];
            sum += beta[v] * (variables.targets[v] - 0.5 * value) - epsilon * std::abs(beta[v]);
        }
        return sum;
    }

    std::span<const double> start_of(Index l, Index cand, Index f) const {
        if (link(l).start < 0 || table_.starts.empty()) return {};
        const auto at = (link(l).start * n_candidates_ + cand) * n_folds() + f;
        return table_.starts.subspan(at * n_, n_);
    }

    // Continues from the same candidate of another link if that is better than the present state.
    void begin_with(std::span<const double> start, double C, double epsilon, Scratch& scratch) {
        if (start.empty()) return;
        const auto& variables = scratch.variables;
        auto& beta = scratch.other_beta;
        beta.resize(variables.samples.size());
        for (Index v = 0; v < ssize(beta); ++v) {
            beta[v] = start[variables.samples[v]];
        }
        expand(beta, scratch, scratch.other_values);
        if (objective(beta, scratch.other_values, epsilon, variables) > scratch.dual.objective()) {
            scratch.dual.restart(beta, scratch.other_values, C);
        }
    }

    Index solve(double C, Scratch& scratch) {
        const Index n = ssize(scratch.variables.samples);
        const Index limit = update_limit(settings_.max_iter, n);
        scratch.dual.solve(C, settings_.tol, limit, monitor_);
        expand(scratch.dual.beta(), scratch, scratch.values);
        return scratch.dual.n_updates();
    }

    // Adds the error of a candidate on a fold.
    void score(Index l, const RegressionFold& fold, const Scratch& scratch, double& error,
               std::span<double> predictions) const {
        const double intercept = scratch.dual.intercept();
        for (Index i = 0; i < n_; ++i) {
            if (!(fold.test[i] > 0.0)) continue;
            predictions[i] = scratch.values[i] + intercept;
            const double difference = predictions[i] - link(l).target[i];
            error += fold.test[i] * difference * difference;
        }
    }

    void keep(Index l, Index cand, Index f, const Scratch& scratch) {
        if (kept_ == nullptr) return;
        const auto at = (l * n_candidates_ + cand) * n_folds() + f;
        const auto beta = scratch.dual.beta();
        for (Index v = 0; v < ssize(beta); ++v) {
            (*kept_)[at * n_ + scratch.variables.samples[v]] = beta[v];
        }
    }

    // The candidate that was best elsewhere, on all folds: no other one may do worse and win.
    void try_first(Index l, Scratch& scratch) {
        const Index cand = link(l).first;
        const Index of_gamma = cand / settings_.gammas.size();
        const double C = settings_.Cs[of_gamma / settings_.epsilons.size()];
        const double epsilon = settings_.epsilons[of_gamma % settings_.epsilons.size()];
        apply(l, cand % settings_.gammas.size(), scratch);
        std::vector<double> errors(n_folds(), 0.0);
        for (Index f = 0; f < n_folds() && !monitor_.stopped(); ++f) {
            bind(link(l).target, table_.folds[f].train, scratch);
            scratch.dual.set_epsilon(epsilon);
            begin_with(start_of(l, cand, f), C, epsilon, scratch);
            solve(C, scratch);
            if (looks_around(l)) {
                save(C, scratch);
                states_[l].push_back(scratch.saved);
            }
            score(l, table_.folds[f], scratch, errors[f], result(l).held_out);
            keep(l, cand, f, scratch);
        }
        const double error = std::accumulate(errors.begin(), errors.end(), 0.0);
        result(l).errors[cand] = bounds_[l] = error;
        best_folds_[l] = errors;
        result(l).best = link(l).first;
        // The hardest fold first: the others are given up there.
        auto& order = fold_orders_[l];
        order = ascending(errors);
        std::reverse(order.begin(), order.end());
    }

    // Some candidates of one gamma, fold by fold; the others' errors are infinite.
    void search(Index l, Index g, std::vector<bool> is_alive, Scratch& scratch,
                GammaOutcome& outcome) {
        const double bound = bounds_[l];
        const auto& best = best_folds_[l];
        const double share = looks_around(l) ? settings_.race : 0.0;
        double expected = share * std::accumulate(best.begin(), best.end(), 0.0);
        outcome.errors.assign(per_gamma(), 0.0);
        outcome.by_fold.assign(per_gamma(), std::vector<double>(n_folds(), 0.0));
        outcome.predictions.assign(per_gamma(), std::vector<double>(n_, nan));
        for (Index c = 0; c < per_gamma(); ++c) {
            if (candidate(c, g) == link(l).first) is_alive[c] = false;
        }
        const auto any_alive = [&] {
            return std::find(is_alive.begin(), is_alive.end(), true) != is_alive.end();
        };
        if (any_alive()) apply(l, g, scratch);
        for (const Index f : fold_orders_[l]) {
            if (!any_alive() || monitor_.stopped()) break;
            bind(link(l).target, table_.folds[f].train, scratch);
            // Neighbours of the first candidate with its gamma start where that ended.
            const auto& states = states_[l];
            if (!states.empty() && g == gamma_of(link(l).first)) scratch.saved = states[f];
            for (const Index e : epsilon_order_) {
                follow_C(l, g, f, e, is_alive, scratch, outcome);
            }
            expected = std::max(0.0, expected - share * best[f]);
            for (Index c = 0; c < per_gamma(); ++c) {
                if (outcome.errors[c] + expected > bound) is_alive[c] = false;
            }
        }
        for (Index c = 0; c < per_gamma(); ++c) {
            if (!is_alive[c]) outcome.errors[c] = infinity;
        }
    }

    // From the first candidate to its best neighbour in the grid, as long as that improves.
    void look_around(Index l, Scratch& scratch) {
        result(l).best = link(l).first;
        std::vector<bool> is_tried(n_candidates_, false);
        is_tried[link(l).first] = true;
        for (Index from = -1; from != result(l).best && !monitor_.stopped();) {
            from = result(l).best;
            // Those of one gamma together: they have one kernel matrix.
            std::vector<std::vector<bool>> of_gamma(settings_.gammas.size());
            for (const Index cand : neighbours(from)) {
                if (is_tried[cand]) continue;
                is_tried[cand] = true;
                auto& some = of_gamma[cand % settings_.gammas.size()];
                some.resize(per_gamma(), false);
                some[cand / settings_.gammas.size()] = true;
            }
            for (Index g = 0; g < ssize(of_gamma); ++g) {
                if (of_gamma[g].empty()) continue;
                GammaOutcome outcome;
                search(l, g, of_gamma[g], scratch, outcome);
                if (monitor_.stopped()) return;
                take(l, g, outcome);
            }
        }
        states_[l] = {};
    }

    // The candidates one step away along gamma, C or epsilon.
    std::vector<Index> neighbours(Index cand) const {
        std::vector<Index> found;
        const Index g = cand % settings_.gammas.size();
        const Index e = cand / settings_.gammas.size() % settings_.epsilons.size();
        const Index c = cand / settings_.gammas.size() / settings_.epsilons.size();
        const auto add = [&](Index C, Index epsilon, Index gamma) {
            found.push_back(candidate(C * settings_.epsilons.size() + epsilon, gamma));
        };
        beside(gamma_order_, g, [&](Index other) { add(c, e, other); });
        beside(C_order_, c, [&](Index other) { add(other, e, g); });
        beside(epsilon_order_, e, [&](Index other) { add(c, other, g); });
        return found;
    }
    // Calls visit with the neighbours of `item` in an order.
    template <class Visit>
    static void beside(const std::vector<Index>& order, Index item, const Visit& visit) {
        const auto at = std::find(order.begin(), order.end(), item);
        if (at != order.begin()) visit(*(at - 1));
        if (at + 1 != order.end()) visit(*(at + 1));
    }

    // All candidates of one gamma and epsilon on one fold, C growing.
    void follow_C(Index l, Index g, Index f, Index e, const std::vector<bool>& is_alive,
                  Scratch& scratch, GammaOutcome& outcome) {
        bool has_begun = false;
        for (const Index c : C_order_) {
            const Index of_gamma = c * settings_.epsilons.size() + e;
            if (!is_alive[of_gamma]) continue;
            const double C = settings_.Cs[c];
            // A solution that no bound holds back is the same for every larger C.
            if (!has_begun || !scratch.dual.is_final()) {
                if (!has_begun) begin_epsilon(settings_.epsilons[e], C, scratch);
                begin_with(start_of(l, candidate(of_gamma, g), f), C, settings_.epsilons[e],
                           scratch);
                solve(C, scratch);
                if (monitor_.stopped()) return;
                if (!has_begun) save(C, scratch);
                has_begun = true;
            }
            double& error = outcome.by_fold[of_gamma][f];
            score(l, table_.folds[f], scratch, error, outcome.predictions[of_gamma]);
            outcome.errors[of_gamma] += error;
            keep(l, candidate(of_gamma, g), f, scratch);
        }
    }

    // Starts a path along C from that of the epsilon before, if it began at the same C or below.
    void begin_epsilon(double epsilon, double C, Scratch& scratch) {
        const Index n = scratch.variables.samples.size();
        auto& saved = scratch.saved;
        if (!(saved.C > 0.0 && saved.C <= C)) {
            saved.beta.assign(n, 0.0);
            saved.values.assign(stride_, 0.0);
            saved.C = C;
        }
        scratch.dual.set_epsilon(epsilon);
        scratch.dual.restart(saved.beta, saved.values, saved.C);
    }
    void save(double C, Scratch& scratch) const {
        const auto beta = scratch.dual.beta();
        scratch.saved.beta.assign(beta.begin(), beta.end());
        scratch.saved.values = scratch.values;
        scratch.saved.C = C;
    }

    // Notes the errors of a gamma; of equal errors the candidate with the lower number is best.
    void take(Index l, Index g, GammaOutcome& outcome) {
        auto& known = result(l);
        for (Index c = 0; c < ssize(outcome.errors); ++c) {
            const Index cand = candidate(c, g);
            const double error = outcome.errors[c];
            if (error == infinity) continue;
            known.errors[cand] = error;
            const double best = known.errors[known.best];
            if (error > best || (error == best && cand > known.best)) continue;
            known.best = cand;
            known.held_out = std::move(outcome.predictions[c]);
            best_folds_[l] = outcome.by_fold[c];
            bounds_[l] = std::min(bounds_[l], error);
        }
    }

    void fit_best(Index l, Scratch& scratch) {
        auto& fitted = result(l);
        const Index best = fitted.best;
        const Index of_gamma = best / settings_.gammas.size();
        apply(l, best % settings_.gammas.size(), scratch);
        if (monitor_.stopped()) return;
        bind(link(l).target, table_.weights, scratch);
        scratch.dual.set_epsilon(settings_.epsilons[of_gamma % settings_.epsilons.size()]);
        fitted.n_updates = solve(settings_.Cs[of_gamma / settings_.epsilons.size()], scratch);
        fitted.coef.assign(n_, 0.0);
        const auto beta = scratch.dual.beta();
        for (Index v = 0; v < ssize(beta); ++v) {
            fitted.coef[scratch.variables.samples[v]] = beta[v];
        }
        fitted.intercept = scratch.dual.intercept();
        fitted.violation = std::max(0.0, scratch.dual.violation());
        fitted.objective = scratch.dual.objective();
    }

    const RegressionTable& table_;
    std::span<const RegressionLink> links_;
    const RegressionTuneSettings& settings_;
    Monitor& monitor_;
    std::vector<double>* kept_;
    ThreadPool pool_;
    Index n_;
    Index stride_;
    std::vector<Index> gamma_order_, C_order_, epsilon_order_;
    Index n_candidates_;
    std::vector<RegressionResult> results_;
    std::vector<double> bounds_;                   // by link: errors above it are given up
    std::vector<std::vector<double>> best_folds_;  // by link and fold: the errors of the best
    std::vector<std::vector<Index>> fold_orders_;
    // By link and fold: where the first candidate ended, while its neighbours are tried.
    std::vector<std::vector<SavedState>> states_;
    ScratchPool<Scratch> idle_;
};

}  // namespace

std::vector<RegressionResult> tune_regression(const RegressionTable& table,
                                              std::span<const RegressionLink> links,
                                              const RegressionTuneSettings& settings,
                                              Index n_threads, Monitor& monitor,
                                              std::vector<double>* kept) {
    return RegressionTuner(table, links, settings, n_threads, monitor, kept).run();
}

}  // namespace svmosaic
