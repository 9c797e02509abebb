// What a call has done to a table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace mxk {

struct [[nodiscard]] BulkResult {
    std::size_t wanted = 0;  // operations of the call
    std::size_t done = 0;    // of these, the first ones, which took effect
    std::size_t changed = 0; // of these, how many inserted or erased a key

    [[nodiscard]] bool ok() const { return done == wanted; }
    explicit operator bool() const { return ok(); }
    // Of one that is not ok.
    [[nodiscard]] Error error() const {
        return Error::of("out of memory: {} of {} operations on a table have been done", done, wanted);
    }
};

// Of one key: `if (table.insert(key, value))` asks whether the key is new.
class [[nodiscard]] InsertResult {
  public:
    enum class Outcome : std::uint8_t { Inserted, Present, NoMemory };

    constexpr explicit InsertResult(Outcome outcome)
        : outcome_(outcome) {}

    // Whether the key was not there before, and is now.
    [[nodiscard]] constexpr bool inserted() const { return outcome_ == Outcome::Inserted; }
    explicit constexpr operator bool() const { return inserted(); }
    // Whether there was memory for it, if it needed some; else nothing has happened.
    [[nodiscard]] constexpr bool ok() const { return outcome_ != Outcome::NoMemory; }
    // Of one that is not ok.
    [[nodiscard]] static Error error() { return Error("out of memory: a table cannot take the key"); }

  private:
    Outcome outcome_;
};

} // namespace mxk
