// Memory for matrices: not filled, and in large pages where the system has them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace svmosaic {

// Reading a column of a matrix touches one page per row. Large pages save most of the look-ups.
template <class T>
class LargeBuffer {
  public:
    // Room for n values; what was in it is lost when it grows.
    void require(std::size_t n) {
        if (n <= size_) return;
        values_.reset();
        // Small buffers need no page of their own.
        const std::size_t alignment = n * sizeof(T) < page ? std::size_t{64} : page;
        const std::size_t bytes = (n * sizeof(T) + alignment - 1) / alignment * alignment;
        values_ = Pointer(static_cast<T*>(::operator new(bytes, std::align_val_t{alignment})),
                          Free{alignment});
        size_ = n;
#ifdef __linux__
        if (alignment == page) madvise(values_.get(), bytes, MADV_HUGEPAGE);
#endif
    }
    T* data() { return values_.get(); }
    const T* data() const { return values_.get(); }

  private:
    static constexpr std::size_t page = std::size_t{2} << 20;

    struct Free {
        std::size_t alignment = 64;
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{alignment}); }
    };
    using Pointer = std::unique_ptr<T, Free>;

    Pointer values_;
    std::size_t size_ = 0;
};

}  // namespace svmosaic
