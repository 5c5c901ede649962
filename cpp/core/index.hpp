// Counts and positions: signed everywhere, so that differences and -1 mean what they say.
//
// The standard library's are unsigned. `ssize(values)` reads a size as an Index; elsewhere the
// language converts, which no count or position that exists can notice. The compiler refuses to
// compare the two kinds (-Wsign-compare), where it would matter.
#pragma once

#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

namespace svmosaic {

using Index = std::ptrdiff_t;
static_assert(sizeof(Index) == 8, "positions have 64 bits in arrays that come from Python");

using std::ssize;

// The numbers from 0 to n - 1.
inline std::vector<Index> count_up(Index n) {
    std::vector<Index> numbers(n);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

}  // namespace svmosaic
