// Which vector instructions an x86 processor has and its system saves. GCC's `cpu_supports` would
// say so too, but it needs a library that Clang does not link with on Windows.
#pragma once

#include <cpuid.h>

namespace svmosaic::simd {

struct X86Features {
    bool avx2_and_fma = false;
    bool avx512 = false;  // F, DQ, VL and BW
};

// The registers that the system saves; bits of XCR0.
inline unsigned saved_registers() {
    unsigned low = 0;
    unsigned high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

inline X86Features x86_features() {
    constexpr unsigned fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28;
    constexpr unsigned avx2 = 1u << 5;
    constexpr unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
    constexpr unsigned ymm = 0x06, zmm = 0xe6;
    unsigned a = 0, b = 0, c = 0, d = 0;
    X86Features found;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave)) return found;
    const unsigned saved = saved_registers();
    const bool has_fma = (c & fma) && (c & avx) && (saved & ymm) == ymm;
    if (!has_fma || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    found.avx2_and_fma = (b & avx2) != 0;
    found.avx512 = found.avx2_and_fma && (b & avx512) == avx512 && (saved & zmm) == zmm;
    return found;
}

}  // namespace svmosaic::simd
