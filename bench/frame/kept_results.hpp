// What the latest benchmarks have printed, kept for the console's `again`: a serial line may have lost part of it. The
// console's task.
#pragma once

#include <string_view>

#include "base/kept_lines.hpp"
#include "base/text.hpp"

namespace mxk::bench {

KeptLines& kept_results();

// The results of one benchmark: to the terminal, and kept.
class ResultSink final : public TextSink {
  public:
    explicit ResultSink(TextSink& out)
        : out_(out) {
        kept_results().begin_part();
    }
    void write(std::string_view text) override {
        out_.write(text);
        kept_results().write(text);
    }
    [[nodiscard]] std::size_t columns() const override { return out_.columns(); }

  private:
    TextSink& out_;
};

} // namespace mxk::bench
