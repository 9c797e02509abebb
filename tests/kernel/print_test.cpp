// What is printed (after HelenOS's print1 to print5): each line is compared with what it must be, and goes to the
// console, where tests/system/test_named_tests.py compares it again.
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/format.hpp"
#include "base/kept_lines.hpp"
#include "base/log.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

template <typename... Arguments>
void check_line(std::string_view expected, FormatString<std::type_identity_t<Arguments>...> pattern,
                Arguments const&... arguments) {
    log::Line line;
    format(line, pattern, arguments...);
    MXK_CHECK_EQUAL(line.view(), expected);
    log::info("print {}", line.view());
}

constexpr std::string_view printed_text = "text of 21 characters";

MXK_TEST(print1, text_has_its_width_and_its_length) {
    check_line("[text of 21 characters]", "[{}]", printed_text);
    check_line("[text of 2]", "[{:.9}]", printed_text);
    check_line("[text    ]", "[{:8.4}]", printed_text);
    check_line("[    text]", "[{:>8.4}]", printed_text);
    check_line("[text of 21 characters   ]", "[{:24}]", printed_text);
    check_line("[   text of 21 characters]", "[{:>24}]", printed_text);
    check_line("[text of 21 characters]", "[{:5}]", printed_text);
    check_line("[]", "[{:.0}]", printed_text);
    check_line("[   ]", "[{:3}]", "");
    check_line("[text of 21 characters]", "[{:.100}]", printed_text);
}

MXK_TEST(print2, integers_have_their_base_and_width) {
    check_line("[1][-1][0]", "[{}][{}][{}]", 1, -1, 0);
    check_line("[   12][12   ][00012]", "[{:5}][{:<5}][{:05}]", 12, 12, 12);
    check_line("[  -12][-12  ][-0012]", "[{:5}][{:<5}][{:05}]", -12, -12, -12);
    check_line("[4294967295][-2147483648]", "[{}][{}]", std::numeric_limits<std::uint32_t>::max(),
               std::numeric_limits<std::int32_t>::min());
    check_line("[ff][   ff][000ff][-ff]", "[{:x}][{:5x}][{:05x}][{:x}]", 255, 255, 255, -255);
    check_line("[377][  377][00377]", "[{:o}][{:5o}][{:05o}]", 255, 255, 255);
    check_line("[101][     101][00000101]", "[{:b}][{:8b}][{:08b}]", 5, 5, 5);
    check_line("[123456]", "[{:3}]", 123'456);
}

MXK_TEST(print3, numbers_of_64_bits_and_addresses) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    check_line("[18446744073709551615]", "[{}]", largest);
    check_line("[-9223372036854775808]", "[{}]", smallest);
    check_line("[ffffffffffffffff][0123456789abcdef]", "[{:x}][{:016x}]", largest, 0x123'4567'89ab'cdefU);
    check_line("[1777777777777777777777]", "[{:o}]", largest);
    check_line("[1111111111111111111111111111111111111111111111111111111111111111]", "[{:b}]", largest);
    check_line("[-1000000000000000000000000000000000000000000000000000000000000000]", "[{:b}]", smallest);
    check_line("[0xfee00000][    0x1000]", "[{}][{:10}]", PhysicalAddress{0xfee0'0000}, PhysicalAddress{0x1000});
    check_line("[0x0]", "[{}]", static_cast<int const*>(nullptr));
    check_line("[-0.50][  3.142][1]", "[{}][{:7.3}][{:.0}]", -0.5, 3.14159, 0.99);
}

MXK_TEST(print4, every_character_that_can_be_printed) {
    std::array<char, 96> all{};
    std::size_t count = 0;
    for (char character = ' '; character < '\x7f'; ++character) all[count++] = character;
    MXK_CHECK_EQUAL(count, 95U);
    check_line(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
               "{}", std::string_view(all.data(), count));
    check_line("[a][  b][c  ]", "[{}][{:>3}][{:3}]", 'a', 'b', 'c');
    check_line("{}{x}", "{{}}{{{}}}", 'x');
    check_line("[true][false ]", "[{}][{:6}]", true, false);
}

MXK_TEST(print5, characters_of_unicode_count_as_one) {
    check_line("[\u00e4\u00f6\u00fc\u00df][\u03b1\u03b2\u03b3][\u4e16\u754c][\U0001f600]", "[{}][{}][{}][{}]",
               "\u00e4\u00f6\u00fc\u00df", "\u03b1\u03b2\u03b3", "\u4e16\u754c", "\U0001f600");
    check_line("[\u00e4\u00f6  ][  \u00e4\u00f6]", "[{:4}][{:>4}]", "\u00e4\u00f6", "\u00e4\u00f6");
    check_line("[\u03b1\u03b2][\u4e16   ]", "[{:.2}][{:4.1}]", "\u03b1\u03b2\u03b3", "\u4e16\u754c");
}

// A ring of lines, full and begun again: whole lines, the latest ones.
MXK_TEST(print5, a_ring_keeps_the_latest_lines) {
    std::array<char, 64> room{};
    KeptLines ring(room);
    for (unsigned i = 0; i < 100; ++i) format(ring, "line {}\n", i); // 8 bytes, from the tenth on
    FixedText<128> kept;
    KeptLines::Reader reader(ring, true);
    while (reader.write_next(kept)) {
    }
    MXK_CHECK_EQUAL(kept.view(), "line 92\nline 93\nline 94\nline 95\nline 96\nline 97\nline 98\nline 99\n");
    MXK_CHECK_EQUAL(ring.dropped(true), 92U);
}

// Each line comes out whole, whichever cores write: the console's side of it is the system test's.
MXK_TEST(print5, lines_of_all_cores_come_out_whole) {
    constexpr int lines = 4;
    MXK_CHECK(run_on(all_cores().span(), [](Worker& worker, std::size_t) {
        for (int i = 0; i < lines; ++i)
            log::info("print core {} line {} {}{}{}", worker.core(), i, "<--------", "--------", "-------->");
        return Step::Done;
    }));
}

} // namespace
} // namespace mxk
