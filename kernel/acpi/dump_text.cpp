#include "kernel/acpi/dump_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mxk::acpi {
namespace {

constexpr std::size_t max_bytes_in_line = 16;
constexpr std::string_view blanks = " \t";

constexpr bool is_blank(char c) {
    return blanks.find(c) != std::string_view::npos;
}

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return std::nullopt;
}

std::size_t count_hex_digits(std::string_view text) {
    auto const end = std::find_if(text.begin(), text.end(), [](char c) { return !hex_digit(c); });
    return static_cast<std::size_t>(end - text.begin());
}

std::string_view without_leading_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text;
}

std::string_view without_trailing_blanks(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

constexpr std::string_view header_mark = " @ ";

// Something short, and the mark: right or wrong, it is meant to be a header.
bool resembles_header(std::string_view line) {
    constexpr std::size_t max_signature = 8;                                // "RSD PTR "
    return without_leading_blanks(line).find(header_mark) <= max_signature; // npos is more
}

// "APIC @ 0xbffe0390": the signature, or nothing.
std::optional<std::string_view> parse_header(std::string_view line) {
    if (!resembles_header(line)) return std::nullopt;
    line = without_leading_blanks(line);
    std::size_t const mark = line.find(header_mark);
    std::string_view address = without_leading_blanks(line.substr(mark + header_mark.size()));
    if (address.starts_with("0x") || address.starts_with("0X")) address.remove_prefix(2);
    std::size_t const digits = count_hex_digits(address);
    bool const ends_there = digits == address.size() || is_blank(address[digits]);
    if (digits == 0 || !ends_there) return std::nullopt;
    return line.substr(0, mark);
}

struct DataLine {
    std::uint64_t offset;
    std::string_view bytes; // and what follows them
};

// "0010: 41 50 ...", without a look at the bytes.
std::optional<DataLine> parse_data_line(std::string_view line) {
    line = without_leading_blanks(line);
    constexpr std::size_t max_digits = 8;
    std::size_t const digits = count_hex_digits(line);
    if (digits == 0 || digits > max_digits || digits == line.size() || line[digits] != ':') return std::nullopt;
    std::uint64_t offset = 0;
    for (char const c : line.substr(0, digits)) offset = offset * 16 + *hex_digit(c);
    return DataLine{offset, without_leading_blanks(line.substr(digits + 1))};
}

// For messages: what stands in a file is not sent to a terminal as it is.
FixedText<48> excerpt(std::string_view line) {
    FixedText<48> text;
    for (char const c : line) text.append(c >= ' ' && c <= '~' ? std::string_view(&c, 1) : "?");
    return text;
}

class Parser {
  public:
    Parser(std::span<std::string_view const> wanted, std::span<TableImage> images, std::span<std::byte> memory,
           Arena& arena)
        : wanted_(wanted)
        , images_(images)
        , memory_(memory)
        , arena_(arena) {}

    Result<void> take(std::string_view line) {
        ++line_number_;
        if (line.empty()) {
            after_blank_ = true;
            return {};
        }
        if (auto const data = parse_data_line(line)) return take_data(line, *data);
        if (auto const signature = parse_header(line)) return begin_table(*signature);
        bool const may_be_remark = state_ == State::None || after_blank_;
        bool const is_in_unwanted = state_ == State::Unwanted && !after_blank_;
        if (is_in_unwanted || (may_be_remark && !resembles_header(line))) return {};
        return fail(line, "a table's header such as 'APIC @ 0xBFFE0390', or a line of its bytes");
    }

    [[nodiscard]] bool found_any() const { return state_ != State::None; }
    [[nodiscard]] std::span<TableImage const> images() const { return images_.first(count_); }

  private:
    enum class State : std::uint8_t { None, Wanted, Unwanted }; // the table that the line belongs to

    Error fail(std::string_view line, std::string_view expected) const {
        return Error::of("line {}: expected {}, got '{}'", line_number_, expected, excerpt(line).view());
    }

    Result<void> begin_table(std::string_view signature) {
        after_blank_ = false;
        bool const is_wanted = std::find(wanted_.begin(), wanted_.end(), signature) != wanted_.end();
        state_ = is_wanted ? State::Wanted : State::Unwanted;
        if (!is_wanted) return {};
        FixedText<32> place;
        format(place, "from line {}", line_number_);
        std::span<char> const kept = MXK_TRY(arena_.array<char>(place.view().size()));
        std::copy(place.view().begin(), place.view().end(), kept.begin());
        images_[count_++] = {{kept.data(), kept.size()}, memory_.first(0)};
        return {};
    }

    Result<void> take_data(std::string_view line, DataLine const& data) {
        if (state_ == State::Unwanted) return {};
        if (state_ == State::None) return fail(line, "a table's header such as 'APIC @ 0xBFFE0390' first");
        TableImage& image = images_[count_ - 1];
        if (data.offset != image.bytes.size()) {
            return Error::of("line {}: expected the bytes from offset 0x{:x} on, got '{}'", line_number_,
                             image.bytes.size(), excerpt(line).view());
        }
        std::size_t const count = take_bytes(data.bytes);
        if (count == 0) return fail(line, "up to 16 bytes of two digits each");
        // The images lie one behind the other in memory, so the last one grows in place.
        image.bytes = {image.bytes.data(), image.bytes.size() + count};
        memory_ = memory_.subspan(count);
        after_blank_ = false;
        return {};
    }

    // Puts them to the beginning of memory_; 0 if there is none or a broken one. Two blanks end them, or their number.
    std::size_t take_bytes(std::string_view text) {
        std::size_t count = 0;
        while (count < max_bytes_in_line) {
            if (text.size() < 2) return 0;
            auto const high = hex_digit(text[0]);
            auto const low = hex_digit(text[1]);
            bool const ends_there = text.size() == 2 || is_blank(text[2]);
            if (!high || !low || !ends_there) return 0;
            memory_[count++] = static_cast<std::byte>(*high * 16 + *low);
            text.remove_prefix(std::min<std::size_t>(3, text.size()));
            if (text.empty() || is_blank(text[0])) break;
        }
        return count;
    }

    std::span<std::string_view const> wanted_;
    std::span<TableImage> images_;
    std::span<std::byte> memory_; // what is free of it
    Arena& arena_;
    std::size_t count_ = 0;
    std::size_t line_number_ = 0;
    State state_ = State::None;
    bool after_blank_ = false;
};

} // namespace

Result<std::span<TableImage const>> parse_dump_text(std::string_view text, std::span<std::string_view const> wanted,
                                                    Arena& arena) {
    if (text.find('\0') != std::string_view::npos) {
        return Error("expected the text of acpidump, got binary data (binary tables: name the directory they lie in)");
    }
    // A header has one '@', a byte two digits: there cannot be more.
    auto const max_tables = static_cast<std::size_t>(std::count(text.begin(), text.end(), '@'));
    std::span<TableImage> const images = MXK_TRY(arena.array<TableImage>(max_tables));
    std::span<std::byte> const memory = MXK_TRY(arena.array<std::byte>(text.size() / 2));
    Parser parser(wanted, images, memory, arena);
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size());
        MXK_TRY(parser.take(without_trailing_blanks(text.substr(0, end))));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!parser.found_any()) {
        return Error("expected the text of acpidump: it has a line such as 'APIC @ 0xBFFE0390' for each table");
    }
    return parser.images();
}

} // namespace mxk::acpi
