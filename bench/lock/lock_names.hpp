// Kinds of locks as an option's value: names with commas between, in the order in which they are measured.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {

class LockNames {
  public:
    static constexpr std::size_t capacity = 80;

    // False when the list is full.
    bool add(locks::LockKind const& kind) {
        if (size_ == capacity) return false;
        kinds_[size_++] = &kind;
        return true;
    }
    [[nodiscard]] std::span<locks::LockKind const* const> kinds() const { return {kinds_.data(), size_}; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

  private:
    std::array<locks::LockKind const*, capacity> kinds_{};
    std::size_t size_ = 0;
};

// What kernel/console/options.hpp asks of an option's type. `all` names every kind that was built. Errors: no such
// kind, with those of a similar name; one that was not built.
Result<void> parse_value(std::string_view text, LockNames& names);
void print_value(TextSink& out, LockNames const& names);
void describe_value(TextSink& out, LockNames const& names);
void complete_value(console::Candidates& candidates, LockNames const& names);

// The list below a command's options in its help.
void print_lock_kinds(TextSink& out);

} // namespace mxk::bench
