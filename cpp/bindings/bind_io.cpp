// Python's view of the text readers.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "io/libsvm_text.hpp"

namespace nb = nanobind;

namespace {

using svmosaic::io::LibsvmRows;
using svmosaic::io::LibsvmTextError;
using svmosaic::io::LibsvmTextOptions;
using svmosaic::io::LibsvmTextParser;

template <typename T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector to NumPy without a copy; the array owns the memory from then on.
template <typename T>
Vector<T> to_numpy(std::vector<T>&& values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    std::vector<T>& kept = *owned;
    nb::capsule owner(owned.get(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    static_cast<void>(owned.release());
    return Vector<T>(kept.data(), {kept.size()}, owner);
}

void feed(LibsvmTextParser& parser, const nb::bytes& chunk) {
    const std::span<const char> bytes(chunk.c_str(), chunk.size());
    const nb::gil_scoped_release released;
    parser.feed(bytes);
}

nb::tuple finish(LibsvmTextParser& parser) {
    LibsvmRows rows = [&parser] {
        const nb::gil_scoped_release released;
        return parser.finish();
    }();
    return nb::make_tuple(to_numpy(std::move(rows.labels)), to_numpy(std::move(rows.indptr)),
                          to_numpy(std::move(rows.indices)), to_numpy(std::move(rows.values)),
                          rows.n_features);
}

}  // namespace

void bind_io(nb::module_& m) {
    nb::exception<LibsvmTextError>(m, "LibsvmTextError", PyExc_ValueError);

    nb::class_<LibsvmTextParser>(
        m, "LibsvmTextParser",
        "Reads LIBSVM text in chunks of bytes. One thread at a time may use a parser.")
        .def(
            "__init__",
            [](LibsvmTextParser* self, std::int64_t max_features, std::int64_t max_line_bytes,
               bool allow_nonfinite) {
                new (self) LibsvmTextParser(
                    LibsvmTextOptions{max_features, max_line_bytes, allow_nonfinite});
            },
            nb::kw_only(), nb::arg("max_features") = LibsvmTextOptions{}.max_features,
            nb::arg("max_line_bytes") = LibsvmTextOptions{}.max_line_bytes,
            nb::arg("allow_nonfinite") = LibsvmTextOptions{}.allow_nonfinite)
        .def("feed", &feed, nb::arg("chunk"),
             "Read the next bytes of the file. Raises LibsvmTextError for a malformed line.")
        .def("finish", &finish, nb::sig("def finish(self) -> tuple[Any, Any, Any, Any, int]"),
             "Close the parser and return (labels, indptr, indices, values, n_features).")
        .def_prop_ro(
            "line", &LibsvmTextParser::line,
            "Number, from 1, of the last line read; after an error, of the line at fault.");
}
