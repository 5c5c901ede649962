#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "io/libsvm_text.hpp"
#include "tests/check.hpp"

namespace svmosaic::test {
namespace {

using io::LibsvmRows;
using io::LibsvmTextError;
using io::LibsvmTextOptions;
using io::LibsvmTextParser;

LibsvmRows parse(std::string_view text, LibsvmTextOptions options = {}) {
    LibsvmTextParser parser(options);
    parser.feed(text);
    return parser.finish();
}

struct Failure {
    std::int64_t line = 0;
    std::string reason;
};

// Feeds pieces of the given size; line 0 means that the text was accepted.
Failure failure_of(std::string_view text, std::size_t piece, LibsvmTextOptions options = {}) {
    LibsvmTextParser parser(options);
    try {
        for (std::size_t at = 0; at < text.size(); at += piece) {
            parser.feed(text.substr(at, piece));
        }
        static_cast<void>(parser.finish());
    } catch (const LibsvmTextError& error) {
        return {parser.line(), error.what()};
    }
    return {};
}

bool equal(const LibsvmRows& a, const LibsvmRows& b) {
    return a.labels == b.labels && a.indptr == b.indptr && a.indices == b.indices &&
           a.values == b.values && a.n_features == b.n_features;
}

void rows_come_out_as_written() {
    const LibsvmRows rows =
        parse("# a comment\r\n+1 1:0.5 3:-2e-3 # tail\r\n\n-1.5 qid:7\t2:7\n  0\n2 4:1");

    check(rows.labels == std::vector<double>{1.0, -1.5, 0.0, 2.0}, "labels");
    check(rows.indptr == std::vector<std::int64_t>{0, 2, 3, 3, 4}, "indptr");
    check(rows.indices == std::vector<std::int32_t>{0, 2, 1, 3}, "indices count from 0");
    check(rows.values == std::vector<double>{0.5, -2e-3, 7.0, 1.0}, "values");
    check(rows.n_features == 4, "n_features is the largest index");
}

void numbers_are_correctly_rounded() {
    const LibsvmRows rows = parse(
        "0 1:0.1 2:123456789012345678 3:1e-999 4:-1e-400 5:4.9406564584124654e-324 6:.5 7:5. "
        "8:999999999999999 9:-0 10:0.000000000000000000000000000000001e-320");

    check(rows.values[0] == 0.1, "0.1");
    check(rows.values[1] == 123456789012345678.0, "more digits than a double holds");
    check(rows.values[2] == 0.0, "too small becomes 0");
    check(rows.values[3] == 0.0 && std::signbit(rows.values[3]), "too small keeps its sign");
    check(rows.values[4] == std::numeric_limits<double>::denorm_min(), "the least subnormal");
    check(rows.values[5] == 0.5 && rows.values[6] == 5.0, "a point at either end");
    check(rows.values[7] == 999999999999999.0, "15 digits");
    check(rows.values[8] == 0.0 && std::signbit(rows.values[8]), "minus zero");
    check(rows.values[9] == 0.0, "small by digits and by exponent");
}

void short_decimals_round_as_strtod_does() {
    std::mt19937_64 random(20240301);
    std::uniform_int_distribution<std::size_t> n_digits(1, 18);
    std::uniform_int_distribution<int> digit('0', '9');
    for (int round = 0; round < 20000; ++round) {
        std::string number(n_digits(random), '0');
        for (char& c : number) c = static_cast<char>(digit(random));
        number.insert(random() % (number.size() + 1), ".");
        check(parse("0 1:" + number).values[0] == std::strtod(number.c_str(), nullptr), number);
    }
}

void nonfinite_numbers_need_leave() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<std::string> numbers = {
        "nan", "inf", "-inf", "1e999", "-1e999", "1e99999999999999999999", "+inf"};
    for (const std::string& number : numbers) {
        check(failure_of("1 1:" + number + "\n", 100).line == 1, number);
        check(failure_of(number + " 1:1\n", 100).line == 1, number);
    }

    const LibsvmRows rows =
        parse("1 1:nan 2:inf 3:-inf 4:1e999 5:-1e999", {.allow_nonfinite = true});

    check(std::isnan(rows.values[0]), "nan");
    check(rows.values[1] == inf && rows.values[2] == -inf, "inf");
    check(rows.values[3] == inf && rows.values[4] == -inf, "overflow");
}

void malformed_lines_are_named() {
    const std::vector<std::string> lines = {"x 1:1",
                                            "1 1",
                                            "1 1:",
                                            "1 :1",
                                            "1 1:1 1:2",
                                            "1 3:1 2:1",
                                            "1 0:1",
                                            "1 -1:1",
                                            "1 1:x",
                                            "1 1:1x",
                                            "1 1: 2",
                                            "1 1 :2",
                                            "1 +1:2",
                                            "1 1:++2",
                                            "1 1:+-2",
                                            "1,2 1:1",
                                            "1 1:1,2:1",
                                            "1 1:0x10",
                                            "1 qid:x 1:1",
                                            "1 qid: 1:1",
                                            "1 1:1 qid:1",
                                            "1:1",
                                            "1 10000001:1",
                                            "1 1:1:1",
                                            "1 99999999999999999999:1",
                                            "1 -99999999999999999999:1",
                                            "1 2147483646:1",
                                            "1 1:1\r 2:1"};
    for (const std::string& line : lines) {
        const std::string text = "1 1:1\n\n" + line + "\n1 1:1\n";
        const Failure whole = failure_of(text, text.size());
        check(whole.line == 3, line);
        for (std::size_t piece = 1; piece < text.size(); ++piece) {
            const Failure cut = failure_of(text, piece);
            check(cut.line == whole.line && cut.reason == whole.reason, line);
        }
    }
}

void reasons_are_short_and_printable() {
    const std::string reason = failure_of("1 1:" + std::string(1000, '\xff'), 100).reason;

    check(reason.size() < 300, "long tokens are cut");
    for (const char c : reason) check(c >= ' ' && c <= '~', "printable");
}

void chunks_may_be_cut_anywhere() {
    const std::string text = "1 1:0.25 7:-3\r\n# note\n-1 qid:3 2:1e2\n\n+1 3:4";
    const LibsvmRows whole = parse(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        LibsvmTextParser parser;
        parser.feed(std::string_view(text).substr(0, cut));
        parser.feed(std::string_view(text).substr(cut));
        check(equal(parser.finish(), whole), "cut in two");
    }
}

void long_lines_are_refused() {
    const LibsvmTextOptions options{.max_line_bytes = 8};
    check(failure_of("1 1:1234\n1 1:12345\n", 100, options).line == 2, "in one chunk");
    check(failure_of("1 1:1234\n1 1:12345\n", 3, options).line == 2, "over several chunks");
    check(failure_of("1 1:1234\n1 1:1234", 3, options).line == 0, "the limit itself is accepted");
}

template <typename Error, typename Action>
void check_throws(Action action, std::string_view what) {
    try {
        action();
    } catch (const Error&) {
        return;
    }
    check(false, what);
}

void misuse_is_refused() {
    check_throws<std::invalid_argument>([] { LibsvmTextParser parser({.max_features = 0}); },
                                        "max_features below 1");
    check_throws<std::invalid_argument>(
        [] { LibsvmTextParser parser({.max_features = std::int64_t{1} << 31}); },
        "max_features above int32");
    check_throws<std::invalid_argument>([] { LibsvmTextParser parser({.max_line_bytes = 0}); },
                                        "max_line_bytes below 1");
    check_throws<std::logic_error>(
        [] {
            LibsvmTextParser parser;
            static_cast<void>(parser.finish());
            parser.feed(std::string_view("1 1:1\n"));
        },
        "feed after finish");
}

// Random bytes, mostly of the format's own alphabet, either parse or fail with a reason.
void random_bytes_never_crash() {
    constexpr std::string_view alphabet = "0123456789:::..--++eE \t\n\n\r#qidnaf,x";
    std::mt19937 random(20240229);
    std::uniform_int_distribution<std::size_t> letter(0, alphabet.size() - 1);
    std::uniform_int_distribution<std::size_t> length(0, 60);
    for (int round = 0; round < 20000; ++round) {
        std::string text(length(random), ' ');
        for (char& c : text) c = alphabet[letter(random)];
        const Failure whole = failure_of(text, 100, {.allow_nonfinite = true});
        const Failure cut = failure_of(text, 3, {.allow_nonfinite = true});
        check(whole.line == cut.line && whole.reason == cut.reason, text);
    }
}

}  // namespace

void test_libsvm_text() {
    rows_come_out_as_written();
    numbers_are_correctly_rounded();
    short_decimals_round_as_strtod_does();
    nonfinite_numbers_need_leave();
    malformed_lines_are_named();
    reasons_are_short_and_printable();
    chunks_may_be_cut_anywhere();
    long_lines_are_refused();
    misuse_is_refused();
    random_bytes_never_crash();
}

}  // namespace svmosaic::test
