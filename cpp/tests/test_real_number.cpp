// Numbers from text by strtod, compared with std::from_chars where the library has it.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "core/infinity.hpp"
#include "io/real_number.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

void check_text(std::string_view text, std::errc status, std::size_t length, double expected) {
    double value = 0.0;
    const auto found = io::real_by_strtod(text, value);
    const std::string what = "'" + std::string(text) + "'";
    check(found.ec == status, what + ": status");
    if (status == std::errc::invalid_argument) return;
    check(found.ptr == text.data() + length, what + ": end");
    if (status == std::errc{}) {
        check(std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected),
              what + ": value");
    }
}

}  // namespace

void test_real_number() {
    constexpr std::errc fine{};
    check_text("1.5", fine, 3, 1.5);
    check_text("-2e3 4", fine, 4, -2000.0);
    check_text("1,5", fine, 1, 1.0);
    check_text("0x10", fine, 1, 0.0);
    check_text("-0x10", fine, 2, -0.0);
    check_text("1e", fine, 1, 1.0);
    check_text("3abc", fine, 1, 3.0);
    check_text("inf", fine, 3, infinity);
    check_text("-infinity", fine, 9, -infinity);
    check_text("5e-324", fine, 6, 5e-324);
    check_text("2.2250738585072011e-308", fine, 23, 0x0.fffffffffffffp-1022);
    check_text("-3.4584595208887258e-323", fine, 24, -0x7p-1074);
    check_text("1e400", std::errc::result_out_of_range, 5, 0.0);
    check_text("-1e-400", std::errc::result_out_of_range, 7, 0.0);
    for (const std::string_view text : {"", "+1", " 1", "abc", "-", ".", "e5"}) {
        check_text(text, std::errc::invalid_argument, 0, 0.0);
    }
    // Any bits, as text and back. Not subnormal ones: MinGW on ARM prints them wrongly.
    std::mt19937_64 bits(1);
    for (int n = 0; n < 2000; ++n) {
        const auto value = std::bit_cast<double>(bits());
        if (!std::isnormal(value)) continue;
        char text[64];
        const int size = std::snprintf(text, sizeof text, "%.17g", value);
        check_text({text, static_cast<std::size_t>(size)}, fine, static_cast<std::size_t>(size),
                   value);
    }
#ifdef __cpp_lib_to_chars
    for (int n = 0; n < 20000; ++n) {
        std::string text;
        const auto length = bits() % 10;
        for (std::uint64_t k = 0; k < length; ++k) text += "0123456789.eE+-xinfa "[bits() % 21];
        double value = 0.0;
        const auto known = std::from_chars(text.data(), text.data() + text.size(), value);
        check_text(text, known.ec, static_cast<std::size_t>(known.ptr - text.data()), value);
    }
#endif
}

}  // namespace svmosaic::test
