// Reads LIBSVM text ("label index:value index:value ...") piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace svmosaic::io {

// What the parser accepts. The limits keep a small hostile file from costing much memory.
struct LibsvmTextOptions {
    // The largest feature index accepted; at most 2^31 - 1.
    std::int64_t max_features = 10'000'000;
    std::int64_t max_line_bytes = std::int64_t{1} << 24;
    // Accept nan, inf and numbers too large for a double.
    bool allow_nonfinite = false;
};

// A line that breaks the format. what() is the reason and what to do, without the line number.
class LibsvmTextError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The rows read, as a compressed sparse row matrix with column indices that count from 0.
struct LibsvmRows {
    std::vector<double> labels;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<double> values;
    // The largest feature index seen, which is the number of columns the rows need.
    std::int64_t n_features = 0;
};

// Takes a file as chunks of bytes, cut anywhere, and gives the rows at the end.
//
// Strict: indices count from 1 and ascend, labels and values are real numbers. `#` begins a
// comment, `qid:<integer>` after the label is checked and left out, blank lines are skipped and
// a carriage return may end a line. After an error the parser takes no more bytes.
class LibsvmTextParser {
  public:
    // A real number as read, and the bytes it took.
    struct Number {
        double value;
        std::size_t length;
    };

    // Throws std::invalid_argument when a limit is out of range.
    explicit LibsvmTextParser(LibsvmTextOptions options = {});

    // Throws LibsvmTextError for a malformed line, std::logic_error after an error or finish().
    void feed(std::span<const char> bytes);

    // Reads a last line without a line end and hands the rows over.
    [[nodiscard]] LibsvmRows finish();

    // The number, from 1, of the last line read; after an error, of the line at fault.
    [[nodiscard]] std::int64_t line() const noexcept { return line_; }

  private:
    struct Index {
        std::int64_t value;
        std::size_t length;
    };

    void require_open() const;
    void keep_for_later(std::string_view piece);
    void read_line(std::string_view line);
    void read_features(std::string_view rest);
    std::string_view skip_query_id(std::string_view rest);
    Index read_index(std::string_view rest, std::int64_t previous);
    Number read_value(std::string_view rest, std::int64_t index);
    [[noreturn]] void fail(const std::string& reason);
    [[noreturn]] void fail_line_length();

    LibsvmTextOptions options_;
    LibsvmRows rows_;
    std::string carry_;  // the beginning of a line whose end has not come yet
    std::int64_t line_ = 0;
    bool closed_ = false;
};

}  // namespace svmosaic::io
