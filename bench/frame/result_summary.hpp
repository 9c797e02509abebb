// The kept results in short, for a machine without any line: up to 20 rows as text for up to 10 QR codes. Lossless:
// rows are chosen, and as many as fit stand in it as they were printed, each with its own check sum; a first line says
// how many are left out. One core at a time; does not block.
//
// Rows that stand together and begin with the same two fields are a group ("benchmark":"memory","measure":"latency").
// Each group has as many places as the others, for its first row, its last one, and some evenly between; where there
// are more groups than places, the newest groups have them.
//
// A code: MXK1 2/6 89ABCDEF DATA 01234567. The parts of DATA, one behind the other, are base45 of DEFLATE of the text;
// the first sum is the CRC-32 of the text, the last that of what stands before it in the code, without the blank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/deflate.hpp"
#include "base/kept_lines.hpp"
#include "base/qr_code.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

class ResultSummary {
  public:
    static constexpr std::size_t max_rows = 20;
    static constexpr std::size_t max_codes = 10;

    using CodeText = FixedText<1451>; // the largest code's

    // Of the latest benchmark, or of all. Errors: there are no rows, or none fits.
    Result<void> make(KeptLines const& kept, bool all);

    [[nodiscard]] std::size_t rows() const { return rows_; } // that it was made of
    [[nodiscard]] std::size_t left_out() const { return rows_ - chosen_; }
    [[nodiscard]] std::size_t codes() const { return codes_; }
    [[nodiscard]] unsigned version() const { return version_; }
    // `number`: from 1.
    [[nodiscard]] CodeText code(std::size_t number) const;

  private:
    static constexpr std::size_t frame = 29; // characters of a code that are no data
    // Larger ones are only used where ten of these are not enough: of photos with noise and from the side, zbarimg
    // reads up to this version clearly more.
    static constexpr unsigned preferred_max_version = 13;
    static constexpr std::size_t max_data = max_codes * (1451 - frame);

    struct Group {
        std::size_t rows = 0;
        std::size_t places = 0;
    };
    void find_groups(KeptLines const& kept, bool all);
    void share_places(std::size_t limit);
    bool write_text(KeptLines const& kept, bool all, std::size_t limit);
    bool choose_size();

    std::array<Group, max_rows> groups_{}; // the newest, in their order
    std::size_t older_groups_ = 0;         // which are not in it
    std::size_t group_count_ = 0;          // which are
    std::size_t rows_ = 0;
    std::size_t chosen_ = 0;
    std::size_t codes_ = 0;
    unsigned version_ = 0;
    std::uint32_t sum_ = 0;
    FixedText<Deflate::max_text> text_;
    std::array<std::uint8_t, max_data * 2 / 3> compressed_{};
    FixedText<max_data> data_;
};

} // namespace mxk::bench
