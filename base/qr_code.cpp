#include "base/qr_code.hpp"

#include <algorithm>

namespace mxk {
namespace {

// How the codewords of a version are divided at level M (table 9): check bytes of each block, and blocks. The last ones
// have a byte of data more where it does not come out even.
struct Blocks {
    std::uint8_t check_bytes;
    std::uint8_t count;
};
constexpr std::array<Blocks, QrCode::max_version> blocks_of_versions{
    {{10, 1},  {16, 1},  {26, 1},  {18, 2},  {24, 2},  {16, 4},  {18, 4},  {22, 4},  {22, 5},
     {26, 5},  {30, 5},  {22, 8},  {22, 9},  {24, 9},  {24, 10}, {28, 10}, {28, 11}, {26, 13},
     {26, 14}, {26, 16}, {26, 17}, {28, 17}, {28, 18}, {28, 20}, {28, 21}}};

Blocks blocks_of(unsigned version) {
    return blocks_of_versions[version - 1];
}

// Alignment patterns stand in all places of a grid but for three corners: so many on each side.
std::size_t alignments_of(unsigned version) {
    return version == 1 ? 0 : version / 7 + 2;
}

// All that is neither pattern nor format nor version.
std::size_t codewords_of(unsigned version) {
    std::size_t const size = QrCode::modules(version);
    std::size_t const alignments = alignments_of(version);
    std::size_t fixed = 3 * 64 + 2 * (size - 16) + 31; // finders, timing, format and the dark module
    if (alignments > 0) fixed += 25 * (alignments * alignments - 3) - 10 * (alignments - 2); // 5 modules lie on timing
    if (version >= 7) fixed += 36;
    return (size * size - fixed) / 8;
}

std::size_t data_bytes_of(unsigned version) {
    Blocks const blocks = blocks_of(version);
    return codewords_of(version) - std::size_t{blocks.check_bytes} * blocks.count;
}

std::size_t length_bits_of(unsigned version) {
    return version < 10 ? 9 : 11;
}

// `value` with the remainder of its division by `divisor`, of `bits` bits, behind it, both as polynomials over GF(2).
std::uint32_t with_remainder(std::uint32_t value, std::uint32_t divisor, unsigned bits) {
    std::uint32_t rest = value << bits;
    for (unsigned bit = 31; bit >= bits; --bit)
        if ((rest >> bit & 1) != 0) rest ^= divisor << (bit - bits);
    return value << bits | rest;
}

// In GF(256), modulo x^8 + x^4 + x^3 + x^2 + 1.
constexpr std::uint8_t times(std::uint8_t a, std::uint8_t b) {
    unsigned product = 0;
    for (int bit = 7; bit >= 0; --bit) {
        product = product << 1 ^ ((product & 0x80) != 0 ? 0x11d : 0);
        if ((b >> bit & 1) != 0) product ^= a;
    }
    return static_cast<std::uint8_t>(product);
}

// Bits behind each other, the highest of each value first.
class BitWriter {
  public:
    explicit BitWriter(char* bytes)
        : bytes_(bytes) {}
    void put(std::uint32_t value, std::size_t count) {
        for (; count > 0; --count, ++size_) {
            if (size_ % 8 == 0) bytes_[size_ / 8] = 0;
            if ((value >> (count - 1) & 1) != 0) bytes_[size_ / 8] |= static_cast<char>(0x80 >> size_ % 8);
        }
    }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    char* bytes_;
    std::size_t size_ = 0; // in bits
};

} // namespace

std::size_t QrCode::room(unsigned version) {
    std::size_t const bits = data_bytes_of(version) * 8 - 4 - length_bits_of(version);
    return bits / 11 * 2 + (bits % 11 >= 6 ? 1 : 0);
}

std::uint32_t QrCode::format_bits(unsigned level_and_mask) {
    return with_remainder(level_and_mask, 0x537, 10) ^ 0x5412;
}

std::uint32_t QrCode::version_bits(unsigned version) {
    return with_remainder(version, 0x1f25, 12);
}

void QrCode::make_check_bytes(std::string_view data, std::uint8_t* check, std::size_t count) {
    std::array<std::uint8_t, 30> divisor{}; // (x - 1)(x - 2)(x - 4) ..., without its first coefficient, 1
    divisor[count - 1] = 1;
    std::uint8_t root = 1;
    for (std::size_t factor = 0; factor < count; ++factor, root = times(root, 2))
        for (std::size_t i = 0; i < count; ++i)
            divisor[i] = static_cast<std::uint8_t>(times(divisor[i], root) ^ (i + 1 < count ? divisor[i + 1] : 0));
    std::fill_n(check, count, 0);
    for (char const byte : data) {
        auto const lead = static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte) ^ check[0]);
        for (std::size_t i = 0; i < count; ++i)
            check[i] = static_cast<std::uint8_t>((i + 1 < count ? check[i + 1] : 0) ^ times(divisor[i], lead));
    }
}

void QrCode::draw(std::string_view text, unsigned version) {
    version_ = version;
    dark_.fill(false);
    fixed_.fill(false);
    encode(text);
    interleave();
    draw_patterns();
    draw_codewords();
}

void QrCode::encode(std::string_view text) {
    std::size_t const bytes = data_bytes_of(version_);
    BitWriter bits(data_.data());
    bits.put(0b0010, 4); // alphanumeric
    bits.put(static_cast<std::uint32_t>(text.size()), length_bits_of(version_));
    auto const value = [&](std::size_t i) { return static_cast<std::uint32_t>(alphabet.find(text[i])); };
    std::size_t i = 0;
    for (; i + 1 < text.size(); i += 2) bits.put(value(i) * 45 + value(i + 1), 11);
    if (i < text.size()) bits.put(value(i), 6);
    bits.put(0, std::min<std::size_t>(4, bytes * 8 - bits.size())); // the end
    bits.put(0, (8 - bits.size() % 8) % 8);
    for (bool is_first = true; bits.size() < bytes * 8; is_first = !is_first) bits.put(is_first ? 0xec : 0x11, 8);
}

// The first byte of each block, then the second, and so on; then the check bytes in the same way.
void QrCode::interleave() {
    Blocks const blocks = blocks_of(version_);
    std::size_t const bytes = data_bytes_of(version_);
    std::size_t const shorter = bytes / blocks.count; // bytes of the first blocks
    std::size_t const short_blocks = blocks.count - bytes % blocks.count;
    for (std::size_t block = 0, first = 0; block < blocks.count; ++block) {
        std::size_t const size = shorter + (block < short_blocks ? 0 : 1);
        for (std::size_t i = 0; i < shorter; ++i) codewords_[i * blocks.count + block] = data_[first + i];
        if (size > shorter) codewords_[shorter * blocks.count + block - short_blocks] = data_[first + shorter];
        std::array<std::uint8_t, 30> check{};
        make_check_bytes({data_.data() + first, size}, check.data(), blocks.check_bytes);
        for (std::size_t i = 0; i < blocks.check_bytes; ++i)
            codewords_[bytes + i * blocks.count + block] = static_cast<char>(check[i]);
        first += size;
    }
}

void QrCode::fix(std::size_t column, std::size_t row, bool is_dark) {
    fixed_[at(column, row)] = true;
    dark_[at(column, row)] = is_dark;
}

void QrCode::draw_patterns() {
    for (std::size_t i = 8; i < size() - 8; ++i) { // the timing between the finders
        fix(i, 6, i % 2 == 0);
        fix(6, i, i % 2 == 0);
    }
    draw_finder(0, 0);
    draw_finder(size() - 8, 0);
    draw_finder(0, size() - 8);
    draw_alignments();
    draw_format();
    if (version_ >= 7) draw_version();
}

// The eight by eight modules of a corner: a square in a square, and the light lines that part it from the rest.
void QrCode::draw_finder(std::size_t column, std::size_t row) {
    std::size_t const center_column = column == 0 ? 3 : column + 4;
    std::size_t const center_row = row == 0 ? 3 : row + 4;
    for (std::size_t y = row; y < row + 8; ++y) {
        for (std::size_t x = column; x < column + 8; ++x) {
            std::size_t const across = x < center_column ? center_column - x : x - center_column;
            std::size_t const down = y < center_row ? center_row - y : y - center_row;
            std::size_t const ring = std::max(across, down);
            fix(x, y, ring != 2 && ring != 4);
        }
    }
}

void QrCode::draw_alignments() {
    std::size_t const count = alignments_of(version_);
    if (count == 0) return;
    std::size_t const last = size() - 7; // the first is at 6, and the others go back from the last in even steps
    std::size_t const step = (last - 6 + 2 * (count - 1) - 1) / (2 * (count - 1)) * 2;
    auto const center = [&](std::size_t i) { return i == 0 ? 6 : last - step * (count - 1 - i); };
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            if ((i == 0 && j == 0) || (i == 0 && j == count - 1) || (i == count - 1 && j == 0)) continue; // a finder
            for (std::size_t y = 0; y < 5; ++y)
                for (std::size_t x = 0; x < 5; ++x)
                    fix(center(i) + x - 2, center(j) + y - 2,
                        x == 0 || x == 4 || y == 0 || y == 4 || (x == 2 && y == 2));
        }
    }
}

// Twice: around the first finder, and divided between the other two. Level M is 00, and the mask 000.
void QrCode::draw_format() {
    std::uint32_t const bits = format_bits(0);
    for (std::size_t i = 0; i < 15; ++i) {
        bool const is_dark = (bits >> i & 1) != 0;
        fix(8, i < 6 ? i : i < 8 ? i + 1 : size() - 15 + i, is_dark);
        fix(i < 8 ? size() - 1 - i : i == 8 ? 7 : 14 - i, 8, is_dark);
    }
    fix(8, size() - 8, true);
}

void QrCode::draw_version() {
    std::uint32_t const bits = version_bits(version_);
    for (std::size_t i = 0; i < 18; ++i) {
        bool const is_dark = (bits >> i & 1) != 0;
        fix(size() - 11 + i % 3, i / 3, is_dark);
        fix(i / 3, size() - 11 + i % 3, is_dark);
    }
}

// In pairs of columns from the right to the left, upwards and downwards in turn; the column of the timing is passed
// over. Modules that are left stay light before they are masked.
void QrCode::draw_codewords() {
    std::size_t const bits = codewords_of(version_) * 8;
    std::size_t next = 0;
    bool is_upwards = true;
    for (std::size_t right = size() - 1; right < size(); right -= right == 8 ? 3 : 2, is_upwards = !is_upwards) {
        for (std::size_t i = 0; i < 2 * size(); ++i) {
            std::size_t const column = right - i % 2;
            std::size_t const row = is_upwards ? size() - 1 - i / 2 : i / 2;
            if (fixed_[at(column, row)]) continue;
            bool const is_set = next < bits && (codewords_[next / 8] >> (7 - next % 8) & 1) != 0;
            dark_[at(column, row)] = is_set != ((column + row) % 2 == 0);
            ++next;
        }
    }
}

} // namespace mxk
