// Chooses the SIMD level once, when first asked.
#include <atomic>
#include <stdexcept>
#include <string>

#include "simd/levels.hpp"
#include "simd/loops.hpp"
#ifdef SVMOSAIC_X86_LEVELS
#include "simd/x86_features.hpp"
#endif

namespace svmosaic::simd {

namespace {

std::atomic<Level>& chosen() {
    static std::atomic<Level> level{best_level()};
    return level;
}

template <class Table>
const Table& pick(const Table& baseline, const Table* avx2, const Table* avx512) {
    switch (current_level()) {
        case Level::avx512:
            return *avx512;
        case Level::avx2:
            return *avx2;
        case Level::baseline:
            break;
    }
    return baseline;
}

}  // namespace

Level best_level() {
#ifdef SVMOSAIC_X86_LEVELS
    const X86Features features = x86_features();
    if (features.avx512) return Level::avx512;
    if (features.avx2_and_fma) return Level::avx2;
#endif
    return Level::baseline;
}

Level current_level() {
    return chosen().load(std::memory_order_relaxed);
}

void force_level(Level level) {
    if (level > best_level()) {
        throw std::invalid_argument("This computer has no " + std::string(name_of(level)) +
                                    "; its best level is " + std::string(name_of(best_level())) +
                                    ".");
    }
    chosen().store(level);
}

std::string_view name_of(Level level) {
    switch (level) {
        case Level::avx512:
            return "avx512";
        case Level::avx2:
            return "avx2";
        case Level::baseline:
            break;
    }
    return "baseline";
}

#ifdef SVMOSAIC_X86_LEVELS
template <>
const Loops<float>& loops<float>() {
    return pick(loops_float_baseline, &loops_float_avx2, &loops_float_avx512);
}
template <>
const Loops<double>& loops<double>() {
    return pick(loops_double_baseline, &loops_double_avx2, &loops_double_avx512);
}
const Algebra& algebra() {
    return pick(algebra_baseline, &algebra_avx2, &algebra_avx512);
}
#else
template <>
const Loops<float>& loops<float>() {
    return pick<Loops<float> >(loops_float_baseline, nullptr, nullptr);
}
template <>
const Loops<double>& loops<double>() {
    return pick<Loops<double> >(loops_double_baseline, nullptr, nullptr);
}
const Algebra& algebra() {
    return pick<Algebra>(algebra_baseline, nullptr, nullptr);
}
#endif

}  // namespace svmosaic::simd
