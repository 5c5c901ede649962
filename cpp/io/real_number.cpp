#include "io/real_number.hpp"

#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

#ifdef _WIN32
#include <locale.h>
#elif defined(__APPLE__)
#include <xlocale.h>
#endif

namespace svmosaic::io {

namespace {

// The locale of the process may have a decimal comma, and may change in another thread.
double strtod_in_c(const char* begin, char** end) {
#ifdef _WIN32
    static const _locale_t c_locale = _create_locale(LC_ALL, "C");
    return _strtod_l(begin, end, c_locale);
#else
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return strtod_l(begin, end, c_locale);
#endif
}

bool is_part_of_number(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' || c == '(' ||
           c == ')' || c == '_';
}

// strtod reads 0x10 as sixteen; std::from_chars reads 0 and stops.
bool is_hexadecimal(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return text.starts_with("0x") || text.starts_with("0X");
}

}  // namespace

std::from_chars_result real_by_strtod(std::string_view text, double& value) {
    const std::from_chars_result nothing{text.data(), std::errc::invalid_argument};
    std::size_t size = 0;
    while (size < text.size() && is_part_of_number(text[size])) ++size;
    if (is_hexadecimal(text)) size = text.find_first_of("xX");
    // With a zero behind it, which the text need not have.
    const std::string number(text.substr(0, size));
    if (number.empty() || number.front() == '+') return nothing;
    char* end = nullptr;
    errno = 0;
    const double found = strtod_in_c(number.c_str(), &end);
    if (end == number.c_str()) return nothing;
    const char* last = text.data() + (end - number.c_str());
    // A subnormal result is one, whatever the library says of it.
    const bool is_out = errno == ERANGE && (std::isinf(found) || found == 0.0);
    if (is_out) return {last, std::errc::result_out_of_range};
    value = found;
    return {last, std::errc{}};
}

}  // namespace svmosaic::io
