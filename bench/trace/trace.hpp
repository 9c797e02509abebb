// A trace (trace_format.hpp) that was read into memory: checked as a whole, then gone through as often as one likes. It
// takes any bytes: nothing outside them is read, and what is wrong is an error that names the offset and what was
// expected there. Any core, never blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/trace/trace_format.hpp"

namespace mxk::bench {

class Trace {
  public:
    enum class Form : std::uint8_t { Binary, Text };

    // `bytes`: either form; they must live as long as this and its readers.
    static Result<Trace> check(std::span<std::byte const> bytes);

    [[nodiscard]] Form form() const { return form_; }
    // 1 to trace_format::max_operations.
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] std::uint64_t count(Operation operation) const {
        return counts_[static_cast<std::size_t>(operation)];
    }

  private:
    friend class TraceReader;
    using Counts = std::array<std::uint64_t, trace_format::operations.size()>;

    Trace(std::span<std::byte const> bytes, Form form)
        : bytes_(bytes)
        , form_(form) {}

    std::span<std::byte const> bytes_;
    Form form_;
    Counts counts_{};
};

// The operations of a trace, one after the other.
class TraceReader {
  public:
    explicit TraceReader(Trace const& trace)
        : TraceReader(trace.bytes_, trace.form_) {}

    // False: there are no more.
    bool next(TraceRecord& record);

  private:
    friend class Trace;

    TraceReader(std::span<std::byte const> bytes, Trace::Form form);

    bool next_in_binary(TraceRecord& record);
    bool next_in_text(TraceRecord& record);

    // Where next() has ended before the bytes did: what was expected there.
    [[nodiscard]] Result<void> result() const;
    [[nodiscard]] Error wrong_in_binary() const;
    [[nodiscard]] Error wrong_in_text() const;

    std::span<std::byte const> bytes_;
    Trace::Form form_;
    std::size_t at_;              // what comes next
    std::uint64_t number_ = 0;    // binary: operations read; text: lines
    std::size_t wrong_at_ = 0;    // an offset; 0: nothing is wrong
    std::string_view expected_;   // there
    std::string_view wrong_word_; // text: which stands there
};

} // namespace mxk::bench
