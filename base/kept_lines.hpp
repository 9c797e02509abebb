// The latest lines of a text, in a buffer that the owner brings: when it is full, whole lines at the beginning are
// dropped and counted. For what may have to be shown once more. One core at a time; does not block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace mxk {

class KeptLines final : public TextSink {
  public:
    // `room`: one byte or more; must outlive this.
    constexpr explicit KeptLines(std::span<char> room)
        : room_(room) {}

    // Text in pieces of any size. A line that is longer than the buffer is dropped as those before it are: its end
    // remains until the next line needs the room.
    void write(std::string_view text) override {
        for (char const character : text) {
            if (end_ - begin_ == room_.size()) drop_line();
            room_[end_++ % room_.size()] = character;
        }
    }

    // What is written from now on is the latest part.
    void begin_part() {
        part_ = end_;
        dropped_of_part_ = 0;
    }

    // The kept lines, one by one: a position in the text, and the line behind it with its line end.
    class Reader {
      public:
        // Of the latest part alone, or of all. Nothing may be written while it is used.
        Reader(KeptLines const& lines, bool all)
            : lines_(&lines)
            , at_(all || lines.part_ < lines.begin_ ? lines.begin_ : lines.part_) {}

        // Writes the next line to `out`; false when there is none.
        bool write_next(TextSink& out) {
            if (at_ == lines_->end_) return false;
            std::uint64_t const first = at_;
            at_ = lines_->line_end(at_);
            std::size_t const start = first % lines_->room_.size();
            std::size_t const size = at_ - first;
            std::size_t const before_wrap = std::min(size, lines_->room_.size() - start);
            out.write({lines_->room_.data() + start, before_wrap});
            if (before_wrap < size) out.write({lines_->room_.data(), size - before_wrap});
            return true;
        }

      private:
        KeptLines const* lines_;
        std::uint64_t at_;
    };

    [[nodiscard]] bool empty() const { return begin_ == end_; }
    // Lines that are no longer kept: of the latest part, or of all.
    [[nodiscard]] std::size_t dropped(bool all) const { return all ? dropped_ : dropped_of_part_; }

  private:
    // Behind the end of the line that this position is in.
    [[nodiscard]] std::uint64_t line_end(std::uint64_t position) const {
        while (position != end_) {
            char const character = room_[position % room_.size()];
            ++position;
            if (character == '\n') break;
        }
        return position;
    }
    void drop_line() {
        if (begin_ >= part_) ++dropped_of_part_;
        begin_ = line_end(begin_);
        ++dropped_;
    }

    // Positions count from the first byte ever written: begin_ <= end_ <= begin_ + room_.size(), part_ <= end_.
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t part_ = 0;
    std::size_t dropped_ = 0;
    std::size_t dropped_of_part_ = 0;
    std::span<char> room_;
};

} // namespace mxk
