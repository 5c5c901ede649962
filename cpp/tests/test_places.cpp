// Values at some places of a row: copied run by run or one by one, they are the same.
#include <cstdint>
#include <vector>

#include "solvers/places.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

template <class Real>
void values_are_those_at_the_places(Index n, Index one_in) {
    Random random(41 + static_cast<std::uint64_t>(one_in));
    std::vector<Real> row(n);
    for (Real& value : row) value = static_cast<Real>(random.uniform(-1.0, 1.0));
    Places places;
    std::vector<Index> expected;
    for (int round = 0; round < 2; ++round) {
        places.clear();
        expected.clear();
        for (Index p = 0; p < n; ++p) {
            if (random.below(one_in) == 0) continue;
            places.push_back(p);
            expected.push_back(p);
        }
        check(places.size() == ssize(expected), "number of places");
        std::vector<Real> out(expected.size() + 1, Real{7});
        places.copy(row.data(), out.data());
        for (Index i = 0; i < ssize(expected); ++i) {
            check(places[i] == expected[i], "a place");
            check(out[i] == row[expected[i]], "the value there");
        }
        check(out.back() == Real{7}, "nothing is written beyond the end");
    }
}

}  // namespace

void test_places() {
    for (const Index n : {0, 1, 5, 64, 301}) {
        // Short runs, which are copied value by value, and long ones.
        for (const Index one_in : {2, 3, 40}) {
            values_are_those_at_the_places<float>(n, one_in);
            values_are_those_at_the_places<double>(n, one_in);
        }
    }
}

}  // namespace svmosaic::test
