#include "core/kernel_columns.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "simd/loops.hpp"

namespace svmosaic {

namespace {

// A task for another thread should be worth its hand-over, about this many multiply-adds.
constexpr Index least_work = 60'000;
// What one thread has in its second-level cache is read fast enough for one column at a time.
constexpr std::size_t near_memory = 512 * 1024;
constexpr std::size_t most_spare = 16;

template <class Real>
Index work_per_sample(const Rows<Real>& rows) {
    // Besides the products: exp, and the update of what the column is read for.
    constexpr Index overhead = 16;
    if (const auto* dense = std::get_if<DenseRows<Real>>(&rows)) return dense->n_columns + overhead;
    if (const auto* csr = std::get_if<CsrRows<Real>>(&rows)) {
        return csr->offsets[csr->n_rows] / std::max<Index>(1, csr->n_rows) + overhead;
    }
    return overhead;
}

}  // namespace

template <class Real>
KernelColumns<Real>::KernelColumns(const Rows<Real>& rows, std::span<const Index> samples,
                                   const KernelSpec& kernel, std::size_t cache_bytes,
                                   ThreadPool& pool)
    : rows_(&rows),
      kernel_(kernel),
      cache_bytes_(cache_bytes),
      pool_(&pool),
      packed_(rows, samples, best_layout(kernel, rows, samples)),
      where_(samples.size(), used_.end()) {
    const Index work = packed_.chunk_capacity() * work_per_sample(rows);
    chunks_per_task_ = std::max<Index>(1, least_work / std::max<Index>(1, work));
}

template <class Real>
Real* KernelColumns<Real>::chunk_buffer() const {
    thread_local AlignedVector<Real> buffer;
    const auto capacity =
        static_cast<std::size_t>(simd::round_up(packed_.chunk_capacity(), simd::lanes<Real>));
    if (buffer.size() < capacity) buffer.resize(capacity);
    return buffer.data();
}

template <class Real>
const AlignedVector<double>& KernelColumns<Real>::diagonal() {
    if (diagonal_.empty()) {
        diagonal_.assign(static_cast<std::size_t>(padded_size()), 0.0);
        const auto samples = packed_.samples();
        for (std::size_t i = 0; i < samples.size(); ++i) {
            diagonal_[i] = kernel_diagonal(kernel_, *rows_, samples[i]);
        }
    }
    return diagonal_;
}

template <class Real>
void KernelColumns<Real>::drop(typename std::list<Slot>::iterator slot) {
    where_[static_cast<std::size_t>(slot->sample)] = used_.end();
    used_bytes_ -= slot->values.size() * sizeof(Real);
    if (spare_.size() < most_spare) spare_.push_back(std::move(slot->values));
    used_.erase(slot);
}

template <class Real>
void KernelColumns<Real>::forget(Index i) {
    const auto slot = where_[static_cast<std::size_t>(i)];
    if (slot != used_.end()) drop(slot);
}

template <class Real>
Index KernelColumns<Real>::capacity() const {
    const auto bytes = static_cast<std::size_t>(std::max<Index>(1, padded_size())) * sizeof(Real);
    return std::max<Index>(2, static_cast<Index>(cache_bytes_ / bytes));
}

template <class Real>
bool KernelColumns<Real>::gains_by_blocks() const {
    const bool computed = std::holds_alternative<DenseRows<Real>>(*rows_) ||
                          (std::holds_alternative<CsrRows<Real>>(*rows_) &&
                           packed_.layout().sparse == SparseOrder::by_sample);
    return computed && packed_.bytes() > near_memory && capacity() >= 4 * Queries<Real>::capacity;
}

template <class Real>
Index KernelColumns<Real>::cheap_block() const {
    return std::holds_alternative<CsrRows<Real>>(*rows_) ? Queries<Real>::capacity : 4;
}

template <class Real>
void KernelColumns<Real>::make_room() {
    const auto bytes = static_cast<std::size_t>(padded_size()) * sizeof(Real);
    while (used_.size() >= 2 && used_bytes_ + bytes > cache_bytes_) drop(std::prev(used_.end()));
}

template <class Real>
typename KernelColumns<Real>::Slot& KernelColumns<Real>::slot_of(Index i) {
    const auto at = static_cast<std::size_t>(i);
    if (where_[at] != used_.end()) {
        used_.splice(used_.begin(), used_, where_[at]);
    } else {
        make_room();
        const auto room = static_cast<std::size_t>(padded_size());
        used_.push_front(Slot{i, 0, {}});
        if (!spare_.empty()) {
            used_.front().values = std::move(spare_.back());
            spare_.pop_back();
        }
        used_.front().values.reserve(room);
        used_.front().values.resize(room);
        used_bytes_ += room * sizeof(Real);
        where_[at] = used_.begin();
    }
    return used_.front();
}

template <class Real>
void KernelColumns<Real>::fill(std::span<Slot* const> slots) {
    const auto room = static_cast<std::size_t>(padded_size());
    Index filled = size();
    std::vector<Index> numbers;
    for (Slot* slot : slots) {
        used_bytes_ += (room - slot->values.size()) * sizeof(Real);
        slot->values.reserve(room);  // exactly, not twice as much
        slot->values.resize(room);
        filled = std::min(filled, slot->filled);
        numbers.push_back(packed_.samples()[static_cast<std::size_t>(slot->sample)]);
    }
    packed_.read(*rows_, numbers, queries_);
    n_computed_ += static_cast<Index>(slots.size());
    const Index share = chunks_per_task_ / static_cast<Index>(slots.size());
    // Chunks begin at cache lines, so they are written in place. The first one may hold values
    // that are known already; they come out the same.
    for_chunks(packed_.chunk_of(filled), std::max<Index>(1, share), [&](Index chunk) {
        std::array<Real*, static_cast<std::size_t>(Queries<Real>::capacity)> out;
        for (std::size_t m = 0; m < slots.size(); ++m) {
            out[m] = slots[m]->values.data() + packed_.chunk_begin(chunk);
        }
        packed_.kernel_chunk(kernel_, queries_, chunk, out.data());
    });
    for (Slot* slot : slots) slot->filled = size();
    while (used_.size() > 2 && used_bytes_ > cache_bytes_) drop(std::prev(used_.end()));
}

template <class Real>
const Real* KernelColumns<Real>::column(Index i) {
    Slot* slot = &slot_of(i);
    if (slot->filled < size()) fill(std::span(&slot, 1));
    return slot->values.data();
}

template <class Real>
void KernelColumns<Real>::prefetch(std::span<const Index> samples) {
    std::vector<Slot*> missing;
    for (const Index i : samples) {
        Slot& slot = slot_of(i);
        if (slot.filled < size()) missing.push_back(&slot);
        if (static_cast<Index>(missing.size()) == Queries<Real>::capacity) {
            fill(missing);
            missing.clear();
        }
    }
    if (!missing.empty()) fill(missing);
}

template <class Real>
void KernelColumns<Real>::repack(std::span<const Index> samples) {
    packed_ = PackedRows<Real>(*rows_, samples, packed_.layout());
    spare_.clear();
    diagonal_.clear();
}

template <class Real>
void KernelColumns<Real>::keep_only(std::span<const Index> kept) {
    std::vector<Index> samples;
    samples.reserve(kept.size());
    std::vector<Index> new_number(where_.size(), -1);
    for (const Index i : kept) {
        new_number[static_cast<std::size_t>(i)] = static_cast<Index>(samples.size());
        samples.push_back(packed_.samples()[static_cast<std::size_t>(i)]);
    }
    repack(samples);
    where_.assign(samples.size(), used_.end());
    used_bytes_ = 0;
    for (auto slot = used_.begin(); slot != used_.end();) {
        const Index sample = new_number[static_cast<std::size_t>(slot->sample)];
        if (sample < 0) {
            slot = used_.erase(slot);
            continue;
        }
        // A column that was not complete keeps what it has of the samples that stay.
        auto& values = slot->values;
        std::size_t k = 0;
        for (; k < kept.size() && kept[k] < slot->filled; ++k) {
            values[k] = values[static_cast<std::size_t>(kept[k])];
        }
        slot->filled = static_cast<Index>(k);
        values.resize(static_cast<std::size_t>(padded_size()));
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(k), values.end(), Real{0});
        values.shrink_to_fit();
        used_bytes_ += values.size() * sizeof(Real);
        slot->sample = sample;
        where_[static_cast<std::size_t>(sample)] = slot;
        ++slot;
    }
}

template <class Real>
void KernelColumns<Real>::append(std::span<const Index> rows) {
    std::vector<Index> samples(packed_.samples().begin(), packed_.samples().end());
    samples.insert(samples.end(), rows.begin(), rows.end());
    repack(samples);
    where_.resize(samples.size(), used_.end());
}

template class KernelColumns<float>;
template class KernelColumns<double>;

}  // namespace svmosaic
