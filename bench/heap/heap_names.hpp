// Kinds of allocators as an option's value: names with commas between, in the order in which they are measured.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/heap/heap_kind.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

class HeapNames {
  public:
    static constexpr std::size_t capacity = 16;

    // False when the list is full.
    bool add(HeapKind const& kind) {
        if (size_ == capacity) return false;
        kinds_[size_++] = &kind;
        return true;
    }
    // Every one that there is.
    static HeapNames all();
    [[nodiscard]] std::span<HeapKind const* const> kinds() const& { return {kinds_.data(), size_}; }
    void kinds() const&& = delete; // they would be gone
    [[nodiscard]] bool empty() const { return size_ == 0; }

  private:
    std::array<HeapKind const*, capacity> kinds_{};
    std::size_t size_ = 0;
};

// What kernel/console/options.hpp asks of an option's type. Errors: no such kind, with those of a similar name.
Result<void> parse_value(std::string_view text, HeapNames& names);
void print_value(TextSink& out, HeapNames const& names);
void describe_value(TextSink& out, HeapNames const& names);
void complete_value(console::Candidates& candidates, HeapNames const& names);

// The list below a command's options in its help.
void print_heap_kinds(TextSink& out);

} // namespace mxk::bench
