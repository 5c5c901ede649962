// Memory that starts at a cache line, as the SIMD loops expect it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
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

// The same, but new numbers are not set to zero: for buffers that are written before they are read.
template <class T>
struct UnsetAllocator : AlignedAllocator<T> {
    using value_type = T;

    UnsetAllocator() = default;
    template <class U>
    UnsetAllocator(const UnsetAllocator<U>&) {}
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };

    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
};

template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace svmosaic
