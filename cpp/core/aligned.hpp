// Memory that starts at a cache line, as the SIMD loops expect it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace svmosaic {

inline constexpr std::size_t cache_line = 64;

template <class T>
struct AlignedAllocator {
    using value_type = T;

    AlignedAllocator() = default;
    template <class U>
    AlignedAllocator(const AlignedAllocator<U>&) {}

    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{cache_line}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{cache_line}); }

    template <class U>
    bool operator==(const AlignedAllocator<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace svmosaic
