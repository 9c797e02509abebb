// Where the program's log goes: to standard error, so that standard output has what the commands say and nothing else.
#pragma once

#include <cstdio>
#include <string_view>

#include "base/text.hpp"

namespace mxk {

// A script is only told of warnings and errors.
class LogSink final : public TextSink {
  public:
    explicit LogSink(bool warnings_only)
        : warnings_only_(warnings_only) {}
    void write(std::string_view text) override {
        bool const matters = text.starts_with("WARN ") || text.starts_with("ERROR ");
        if (!warnings_only_ || matters) std::fwrite(text.data(), 1, text.size(), stderr);
    }

  private:
    bool warnings_only_;
};

} // namespace mxk
