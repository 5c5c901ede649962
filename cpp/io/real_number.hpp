// A real number from text, as std::from_chars reads it, with libraries that cannot do that.
#pragma once

#include <charconv>
#include <string_view>
#include <version>

namespace svmosaic::io {

// Reads with strtod in the "C" locale. For tests, and for what has no std::from_chars for doubles:
// libc++ before LLVM 20, and macOS before 26 whatever the library.
std::from_chars_result real_by_strtod(std::string_view text, double& value);

inline std::from_chars_result read_real(std::string_view text, double& value) {
#if defined(__cpp_lib_to_chars) && !defined(__APPLE__)
    return std::from_chars(text.data(), text.data() + text.size(), value);
#else
    return real_by_strtod(text, value);
#endif
}

}  // namespace svmosaic::io
