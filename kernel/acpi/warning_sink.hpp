// Where the warnings about a machine's firmware go: to the log, and so into every result, if it is the machine that
// runs; into a list, if it is one whose tables are only looked at.
#pragma once

#include <cstddef>
#include <span>

#include "base/arena.hpp"
#include "base/log.hpp"
#include "base/result.hpp"

namespace mxk::acpi {

class WarningSink {
  public:
    template <typename... Arguments>
    void warn(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
        log::Line line;
        format(line, pattern, arguments...);
        take(line);
    }

  protected:
    ~WarningSink() = default;

  private:
    virtual void take(log::Line& line) = 0;
};

// The log.
WarningSink& log_warnings();

// Nobody: for looking at tables about which another reader speaks.
WarningSink& no_warnings();

// Keeps all warnings, in an arena.
class WarningList final : public WarningSink {
  public:
    explicit WarningList(Arena& arena)
        : arena_(arena) {}

    // All so far, in their order. An error if one could not be kept for want of memory.
    [[nodiscard]] Result<std::span<log::Line const>> lines() const;

  private:
    struct Kept {
        log::Line line;
        Kept* next = nullptr;
    };

    void take(log::Line& line) override;

    Arena& arena_;
    Kept* first_ = nullptr;
    Kept* last_ = nullptr;
    std::size_t count_ = 0;
    bool lost_ = false;
};

} // namespace mxk::acpi
