#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/column_store.hpp"
#include "simd/loops.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

// A store beside a plain map. Value i of a column is made from two names that never change, those
// of the column's sample and of sample i, so a value in the wrong place is seen.
template <class Real>
class Twin {
  public:
    Twin(Index n, Index most, Index bytes) : store_(n, padded(n), padded(most), bytes), names_(n) {
        for (Index i = 0; i < n; ++i) names_[i] = next_name_++;
    }

    Index size() const { return ssize(names_); }
    Index capacity() const { return store_.capacity(); }

    void use(Index sample, const std::string& where) {
        auto& column = store_.take(sample);
        Real* values = store_.values(column);
        check(column.sample == sample && column.filled <= size(), where + ": the column asked for");
        for (Index i = 0; i < column.filled; ++i) {
            if (values[i] != value(sample, i)) {
                check(false, where + ": value " + std::to_string(i) + " of a kept column");
                break;
            }
        }
        for (Index i = column.filled; i < padded(size()); ++i) {
            values[i] = i < size() ? value(sample, i) : Real{0};
        }
        column.filled = size();
        check(store_.holds(sample), where + ": it is held");
    }

    void grow(Index more) {
        for (Index k = 0; k < more; ++k) names_.push_back(next_name_++);
        store_.grow(size(), padded(size()));
    }

    void keep_only(const std::vector<Index>& kept, const std::string& where) {
        std::vector<bool> held;
        std::vector<Index> names;
        for (const Index i : kept) {
            held.push_back(store_.holds(i));
            names.push_back(names_[i]);
        }
        names_ = names;
        store_.keep_only(kept, padded(size()), pool_);
        for (Index k = 0; k < ssize(kept); ++k) {
            check(store_.holds(k) == held[k], where + ": columns are not lost");
        }
    }

    void forget(Index sample) {
        store_.forget(sample);
        check(!store_.holds(sample), "forgotten");
    }

    Index n_held() const {
        Index count = 0;
        for (Index i = 0; i < size(); ++i) count += store_.holds(i);
        return count;
    }

  private:
    static Index padded(Index n) { return simd::round_up(n, simd::lanes<Real>); }
    Real value(Index sample, Index i) const {
        return static_cast<Real>((names_[sample] * 131 + names_[i]) % 65521);
    }

    ColumnStore<Real> store_;
    ThreadPool pool_{3};
    std::vector<Index> names_;
    Index next_name_ = 0;
};

template <class Real>
void random_histories() {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](Index n) { return random() % n; };
        const std::string where = "history " + std::to_string(seed);
        constexpr Index most = 400;
        Twin<Real> twin(1 + below(100), most, below(200'000));
        for (int act = 0; act < 300; ++act) {
            const Index choice = below(40);
            if (choice == 0 && twin.size() < most) {
                twin.grow(1 + below(most - twin.size()));
            } else if (choice == 1 && twin.size() > 1) {
                std::vector<Index> kept;
                for (Index i = 0; i < ssize(twin); ++i) {
                    if (below(3) > 0) kept.push_back(i);
                }
                if (kept.empty()) kept.push_back(0);
                twin.keep_only(kept, where);
            } else if (choice == 2) {
                twin.forget(below(twin.size()));
            } else {
                twin.use(below(twin.size()), where);
            }
            check(twin.n_held() <= twin.capacity() && twin.capacity() >= 2, where + ": capacity");
        }
    }
}

// The last two columns are both there, whatever the room.
void two_columns_always_fit() {
    ColumnStore<double> store(1000, 1000, 1000, 0);
    const double* first = store.values(store.take(3));
    const double* second = store.values(store.take(4));
    check(first != second && store.holds(3) && store.holds(4), "two columns");
    store.take(3);
    store.take(5);
    check(store.holds(3) && !store.holds(4), "the least recently used leaves");
}

}  // namespace

void test_column_store() {
    random_histories<float>();
    random_histories<double>();
    two_columns_always_fit();
}

}  // namespace svmosaic::test
