// Lines from a script: bytes go in one by one, lines come out, nothing is shown. Bounded: a line that is too long is
// refused as a whole, because the part that would fit might be a command nobody meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "kernel/console/words.hpp"

namespace mxk::console {

class PlainReader {
  public:
    // True when the byte ends a line: line() then says which, until the next feed().
    bool feed(char byte) {
        if (finished_) start_anew();
        finished_ = byte == '\n';
        if (finished_ || byte == '\r') return finished_;
        too_long_ = too_long_ || text_.view().size() == max_line;
        if (!too_long_) text_.append({&byte, 1});
        return false;
    }

    [[nodiscard]] bool at_line_start() const { return finished_ || (text_.view().empty() && !too_long_); }

    // What came since the last line end; nothing if it was too long.
    [[nodiscard]] std::optional<std::string_view> line() const {
        if (too_long_) return std::nullopt;
        return text_.view();
    }

  private:
    void start_anew() {
        text_.clear();
        too_long_ = false;
    }

    FixedText<max_line> text_;
    bool too_long_ = false;
    bool finished_ = false; // the next byte begins a line
};

} // namespace mxk::console
