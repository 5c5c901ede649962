// Memory that starts at a cache line, as the SIMD loops expect it.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
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

// Memory in pages of 2 MB comes faster, and its addresses are found faster. A hint: where the
// system does not know it, nothing happens.
inline void ask_for_large_pages(void* begin, std::size_t bytes) {
#ifdef __linux__
    constexpr std::size_t page = std::size_t{2} << 20;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + page - 1) / page * page;
    const std::uintptr_t last = (address + bytes) / page * page;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
    static_cast<void>(begin), static_cast<void>(bytes);
#endif
}

// Room for numbers that will be written before they are read. The system provides memory for the
// parts that are touched, so room that is never used costs nothing.
template <class T>
class Reserve {
  public:
    explicit Reserve(std::size_t size) : size_(size), data_(take(size), Free{size}) {
        ask_for_large_pages(data_.get(), size * sizeof(T));
    }

    T* data() { return data_.get(); }
    std::size_t size() const { return size_; }

  private:
    // Large room comes from the system and goes back to it at once. malloc may keep what is freed,
    // for each thread by itself, and then many threads take several times what they use.
    static bool is_large(std::size_t size) {
#ifdef __linux__
        return size >= (std::size_t{8} << 20) / sizeof(T);
#else
        static_cast<void>(size);
        return false;
#endif
    }
    static T* take(std::size_t size) {
        if (!is_large(size)) return AlignedAllocator<T>().allocate(size);
#ifdef __linux__
        void* begin = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (begin != MAP_FAILED) return static_cast<T*>(begin);
#endif
        throw std::bad_alloc();
    }
    struct Free {
        std::size_t size = 0;
        void operator()(T* p) const {
            if (!is_large(size)) return AlignedAllocator<T>().deallocate(p, size);
#ifdef __linux__
            munmap(p, size * sizeof(T));
#endif
        }
    };
    std::size_t size_;
    std::unique_ptr<T, Free> data_;
};

}  // namespace svmosaic
