#include "io/libsvm_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "io/real_number.hpp"

namespace svmosaic::io {
namespace {

constexpr std::size_t kQuotedBytes = 40;

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view skip_blanks(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && is_blank(text[n])) ++n;
    return text.substr(n);
}

std::string_view first_token(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && !is_blank(text[n])) ++n;
    return text.substr(0, n);
}

// The first token of the text for an error message: in quotes, short, printable ASCII.
std::string quoted(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    const std::string_view token = first_token(text);
    std::string out = "'";
    for (const char c : token.substr(0, kQuotedBytes)) {
        if (c >= ' ' && c <= '~') {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'\\', 'x', hex[byte >> 4U], hex[byte & 15U]};
        }
    }
    if (token.size() > kQuotedBytes) out += "...";
    return out += "'";
}

// Whether a decimal number outside the range of a double is too large rather than too small.
// The number is known to be well formed; its value is 0.d1d2d3... * 10^magnitude.
bool is_too_large(std::string_view number) {
    std::int64_t magnitude = 0;
    bool seen_point = false;
    bool seen_nonzero = false;
    std::size_t n = 0;
    for (; n < number.size() && number[n] != 'e' && number[n] != 'E'; ++n) {
        if (number[n] == '.') {
            seen_point = true;
        } else if (is_digit(number[n])) {
            seen_nonzero = seen_nonzero || number[n] != '0';
            if (seen_nonzero && !seen_point) ++magnitude;
            if (!seen_nonzero && seen_point) --magnitude;
        }
    }
    if (n == number.size()) return magnitude > 0;
    std::string_view exponent = number.substr(n + 1);
    const bool negative = exponent.starts_with('-');
    if (negative || exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t power = 0;
    // An exponent that does not even fit 64 bits outweighs any number of digits in a line.
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec !=
        std::errc{}) {
        return !negative;
    }
    // Compare without adding: the sum might overflow.
    return negative ? magnitude > power : magnitude > -power;
}

using Number = LibsvmTextParser::Number;

// Reads up to 15 digits with at most one point. The digits and the power of ten are exact in a
// double, so the one division rounds correctly; most values in such files are of this kind.
std::optional<Number> read_short_decimal(std::string_view text) {
    constexpr std::size_t max_digits = 15;
    constexpr std::array<double, max_digits + 1> power_of_ten = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = text.starts_with('-');
    std::size_t n = is_negative ? 1 : 0;
    std::size_t n_digits = 0;
    std::size_t n_decimals = 0;
    std::int64_t digits = 0;
    bool seen_point = false;
    for (; n < text.size() && n_digits <= max_digits; ++n) {
        if (is_digit(text[n])) {
            digits = digits * 10 + (text[n] - '0');
            ++n_digits;
            if (seen_point) ++n_decimals;
        } else if (text[n] == '.' && !seen_point) {
            seen_point = true;
        } else {
            break;
        }
    }
    const bool is_whole_token = n == text.size() || is_blank(text[n]);
    if (n_digits == 0 || n_digits > max_digits || !is_whole_token) return std::nullopt;
    const double magnitude = static_cast<double>(digits) / power_of_ten[n_decimals];
    return Number{is_negative ? -magnitude : magnitude, n};
}

// Reads the real number that is the whole first token, or nothing.
std::optional<Number> read_number(std::string_view text) {
    if (const auto number = read_short_decimal(text)) return number;
    // What follows knows no plus sign.
    const std::size_t sign = text.starts_with('+') ? 1 : 0;
    text.remove_prefix(sign);
    if (text.empty() || (sign != 0 && text.front() == '-')) return std::nullopt;
    double value = 0.0;
    const auto [end, status] = read_real(text, value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (status == std::errc::invalid_argument) return std::nullopt;
    if (length < text.size() && !is_blank(text[length])) return std::nullopt;
    if (status == std::errc::result_out_of_range) {
        const std::string_view number = text.substr(0, length);
        value = is_too_large(number) ? std::numeric_limits<double>::infinity() : 0.0;
        if (number.starts_with('-')) value = -value;
    }
    return Number{value, sign + length};
}

}  // namespace

LibsvmTextParser::LibsvmTextParser(LibsvmTextOptions options) : options_(options) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (options.max_features < 1 || options.max_features > most) {
        throw std::invalid_argument("max_features must be in the range [1, 2147483647]. Got " +
                                    std::to_string(options.max_features) + " instead.");
    }
    if (options.max_line_bytes < 1) {
        throw std::invalid_argument("max_line_bytes must be at least 1. Got " +
                                    std::to_string(options.max_line_bytes) + " instead.");
    }
}

void LibsvmTextParser::fail(const std::string& reason) {
    closed_ = true;
    throw LibsvmTextError(reason);
}

void LibsvmTextParser::fail_line_length() {
    fail("the line is longer than " + std::to_string(options_.max_line_bytes) +
         " bytes. Check that this is a LIBSVM text file.");
}

void LibsvmTextParser::require_open() const {
    if (closed_) throw std::logic_error("This parser is closed. Make a new one for each file.");
}

void LibsvmTextParser::feed(std::span<const char> bytes) {
    require_open();
    std::string_view rest(bytes.data(), bytes.size());
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) {
            keep_for_later(rest);
            return;
        }
        if (carry_.empty()) {
            read_line(rest.substr(0, end));
        } else {
            keep_for_later(rest.substr(0, end));
            read_line(carry_);
            carry_.clear();
        }
        rest.remove_prefix(end + 1);
    }
}

LibsvmRows LibsvmTextParser::finish() {
    require_open();
    if (!carry_.empty()) read_line(carry_);
    closed_ = true;
    return std::move(rows_);
}

void LibsvmTextParser::keep_for_later(std::string_view piece) {
    if (carry_.size() + piece.size() > static_cast<std::size_t>(options_.max_line_bytes)) {
        ++line_;
        fail_line_length();
    }
    carry_.append(piece);
}

void LibsvmTextParser::read_line(std::string_view line) {
    ++line_;
    if (line.size() > static_cast<std::size_t>(options_.max_line_bytes)) fail_line_length();
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = skip_blanks(line.substr(0, line.find('#')));
    if (line.empty()) return;

    const auto label = read_number(line);
    if (!label) {
        fail("the label " + quoted(line) + " is not a number. Begin the line with a real number.");
    }
    if (!options_.allow_nonfinite && !std::isfinite(label->value)) {
        fail("the label " + quoted(line) + " is not finite. Correct the label or remove the line.");
    }
    read_features(line.substr(label->length));
    rows_.labels.push_back(label->value);
    rows_.indptr.push_back(static_cast<std::int64_t>(rows_.values.size()));
}

void LibsvmTextParser::read_features(std::string_view rest) {
    rest = skip_query_id(skip_blanks(rest));
    std::int64_t previous = 0;
    while (!rest.empty()) {
        const auto [index, length] = read_index(rest, previous);
        rest.remove_prefix(length + 1);
        const Number number = read_value(rest, index);
        rest = skip_blanks(rest.substr(number.length));
        rows_.indices.push_back(static_cast<std::int32_t>(index - 1));
        rows_.values.push_back(number.value);
        previous = index;
    }
    rows_.n_features = std::max(rows_.n_features, previous);
}

std::string_view LibsvmTextParser::skip_query_id(std::string_view rest) {
    constexpr std::string_view query = "qid:";
    if (!rest.starts_with(query)) return rest;
    const std::string_view token = first_token(rest).substr(query.size());
    std::int64_t id = 0;
    const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), id);
    if (status != std::errc{} || end != token.data() + token.size()) {
        fail("the query id " + quoted(rest) + " is not an integer. Write it as qid:7.");
    }
    return skip_blanks(rest.substr(query.size() + token.size()));
}

LibsvmTextParser::Index LibsvmTextParser::read_index(std::string_view rest, std::int64_t previous) {
    std::int64_t index = 0;
    const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    const auto length = static_cast<std::size_t>(end - rest.data());
    const bool has_colon = length < rest.size() && rest[length] == ':';
    if (status == std::errc::invalid_argument || !has_colon) {
        fail("expected index:value, got " + quoted(rest) +
             ". Write each feature as a whole number, a colon and a number.");
    }
    const std::string_view digits = rest.substr(0, length);
    const bool is_negative = digits.starts_with('-');
    const bool overflows = !is_negative && status == std::errc::result_out_of_range;
    if (is_negative || (index == 0 && !overflows)) {
        fail("feature index " + quoted(digits) +
             " is below 1; indices count from 1. Renumber the features.");
    }
    if (overflows || index > options_.max_features) {
        fail("feature index " + quoted(digits) + " is above the limit of " +
             std::to_string(options_.max_features) +
             ". Correct the index, or raise n_features or max_features.");
    }
    if (index <= previous) {
        fail("feature index " + std::to_string(index) + " does not follow " +
             std::to_string(previous) + "; indices must ascend. Sort the pairs of this line.");
    }
    return {index, length};
}

LibsvmTextParser::Number LibsvmTextParser::read_value(std::string_view rest, std::int64_t index) {
    const auto number = read_number(rest);
    if (!number) {
        fail("the value " + quoted(rest) + " of feature " + std::to_string(index) +
             " is not a number. Write a real number after the colon.");
    }
    if (!options_.allow_nonfinite && !std::isfinite(number->value)) {
        fail("the value " + quoted(rest) + " of feature " + std::to_string(index) +
             " is not finite. Correct the value, or pass allow_nan=True.");
    }
    return *number;
}

}  // namespace svmosaic::io
