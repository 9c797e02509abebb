// Record batches through Arrow's C data interface: every type, slices, NULL, dictionaries, and what is refused.
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/log.hpp"
#include "query/plan/answer.hpp"
#include "query/plan/arrow.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/source.hpp"
#include "tests/kernel/dataflow/queries.hpp"

namespace mxk::query_tests {
namespace {

using namespace query;

void release_nothing(ArrowArray*) {}
void release_nothing(ArrowSchema*) {}

ArrowSchema arrow_schema(char const* format, char const* name) {
    ArrowSchema schema{};
    schema.format = format;
    schema.name = name;
    schema.release = &release_nothing;
    return schema;
}

// A batch of one column `x`.
struct Batch {
    // `buffers`: validity, then those of the type.
    Batch(char const* format, std::int64_t rows, std::initializer_list<void const*> of_column)
        : column_schema(arrow_schema(format, "x")) {
        std::size_t at = 0;
        for (void const* buffer : of_column) buffers[at++] = buffer;
        column.length = rows;
        column.null_count = of_column.size() != 0 && buffers[0] != nullptr ? -1 : 0; // not known
        column.n_buffers = static_cast<std::int64_t>(of_column.size());
        column.buffers = buffers.data();
        column.release = &release_nothing;
        schema.n_children = batch.n_children = 1;
        schema.children = &schemas[0];
        batch.children = &columns[0];
        batch.length = rows;
        batch.n_buffers = 1;
        batch.buffers = no_buffers.data();
        batch.release = &release_nothing;
    }
    Batch(Batch const&) = delete;
    Batch& operator=(Batch const&) = delete;
    // Of rows `first` and on, so many.
    Batch& slice(std::int64_t first, std::int64_t rows) {
        column.offset = first;
        column.length = batch.length = rows;
        return *this;
    }
    Batch& in_dictionary(Batch& texts) {
        column_schema.dictionary = &texts.column_schema;
        column.dictionary = &texts.column;
        return *this;
    }

    std::array<void const*, 3> buffers{};
    std::array<void const*, 1> no_buffers{};
    ArrowSchema column_schema;
    ArrowArray column{};
    ArrowSchema schema = arrow_schema("+s", "");
    ArrowArray batch{};
    std::array<ArrowSchema*, 1> schemas{&column_schema};
    std::array<ArrowArray*, 1> columns{&column};
};

// All its cells, or the error.
FixedText<300> cells_of(Batch const& of) {
    Source source("rows", static_cast<std::uint64_t>(of.batch.length));
    if (auto const added = source.add(of.schema, of.batch); !added) return FixedText<300>(added.error().message());
    Plan plan({.rows_per_envelope = 3});
    Answer answer;
    std::array<std::string_view, 1> const x{"x"};
    // Computed with, so that values beside NULL are seen, too.
    std::array const columns{NamedExpression{"x", column("x")}, NamedExpression{"is", is_null(column("x"))}};
    plan.answer("answer", plan.map("map", plan.scan("scan", source, x), columns), answer);
    if (auto const checked = plan.check(); !checked) return FixedText<300>(checked.error().message());
    if (auto const result = dataflow_tests::run(plan.model()); !result) return FixedText<300>(result.error().message());
    FixedText<300> text;
    for (std::size_t row = 0; row < answer.rows(); ++row) {
        text.append(row == 0 ? "" : ", ");
        answer.write_cell(text, row, 0);
        FixedText<8> is_null_here;
        answer.write_cell(is_null_here, row, 1);
        FixedText<64> cell;
        answer.write_cell(cell, row, 0);
        MXK_CHECK((is_null_here.view() == "true") == (cell.view() == "NULL"));
    }
    return text;
}
void check_batch(std::string_view expected, Batch const& of) {
    auto const got = cells_of(of);
    if (got.view() != expected) log::error("got: {}", got.view());
    MXK_CHECK(got.view() == expected);
}

} // namespace

MXK_TEST(query, record_batches_of_arrow_are_sources) {
    constexpr std::uint8_t some = 0b0000'1011; // row 2 is NULL
    alignas(64) static constexpr std::array<std::int8_t, 4> i8{-128, 1, 2, 127};
    alignas(64) static constexpr std::array<std::uint8_t, 4> u8{0, 1, 2, 255};
    alignas(64) static constexpr std::array<std::int16_t, 4> i16{-32768, 1, 2, 32767};
    alignas(64) static constexpr std::array<std::uint16_t, 4> u16{0, 1, 2, 65535};
    alignas(64) static constexpr std::array<std::int32_t, 4> i32{INT32_MIN, 1, 2, INT32_MAX};
    alignas(64) static constexpr std::array<std::uint32_t, 4> u32{0, 1, 2, UINT32_MAX};
    alignas(64) static constexpr std::array<std::int64_t, 4> i64{INT64_MIN, 1, 2, INT64_MAX};
    alignas(64) static constexpr std::array<std::uint64_t, 4> u64{0, 1, 2, UINT64_MAX};
    alignas(64) static constexpr std::array<float, 4> f32{-0.5F, 1, 2, 3};
    alignas(64) static constexpr std::array<double, 4> f64{-0.25, 1, 2, 3};
    alignas(64) static constexpr std::array<Int128, 5> i128{-150, 1, 2, 123'456, 0};
    check_batch("-128, 1, 2, 127", Batch("c", 4, {nullptr, i8.data()}));
    check_batch("0, 1, NULL, 255", Batch("C", 4, {&some, u8.data()}));
    check_batch("-32768, 1, NULL, 32767", Batch("s", 4, {&some, i16.data()}));
    check_batch("0, 1, NULL, 65535", Batch("S", 4, {&some, u16.data()}));
    check_batch("-2147483648, 1, NULL, 2147483647", Batch("i", 4, {&some, i32.data()}));
    check_batch("0, 1, NULL, 4294967295", Batch("I", 4, {&some, u32.data()}));
    check_batch("-9223372036854775808, 1, NULL, 9223372036854775807", Batch("l", 4, {&some, i64.data()}));
    check_batch("0, 1, NULL, 18446744073709551615", Batch("L", 4, {&some, u64.data()}));
    check_batch("-0.5, 1.0, NULL, 3.0", Batch("f", 4, {&some, f32.data()}));
    check_batch("-0.25, 1.0, NULL, 3.0", Batch("g", 4, {&some, f64.data()}));
    check_batch("1970-01-02, NULL", Batch("tdD", 4, {&some, i32.data()}).slice(1, 2));
    check_batch("-1.50, 0.01, NULL, 1234.56", Batch("d:38,2", 4, {&some, i128.data()}));
    check_batch("0.001, NULL", Batch("d:9,3,32", 4, {&some, i32.data()}).slice(1, 2));
    check_batch("0.1, NULL", Batch("d:18,1,64", 4, {&some, i64.data()}).slice(1, 2));
    check_batch("true, true, NULL, true", Batch("b", 4, {&some, &some}));
    check_batch("true, NULL, true", Batch("b", 4, {&some, &some}).slice(1, 3));
    // Not aligned as values have to be: copied.
    std::array<std::byte, sizeof(Int128) * 4 + 8> odd{};
    std::size_t const at = reinterpret_cast<std::uintptr_t>(odd.data()) % sizeof(Int128) == 8 ? 0 : 8;
    std::memcpy(odd.data() + at, i128.data(), sizeof(Int128) * 3);
    check_batch("-150, 1, 2", Batch("d:38,0", 3, {nullptr, odd.data() + at}));
    std::array<std::byte, 48> odd_offsets{};
    std::size_t const odd_at = reinterpret_cast<std::uintptr_t>(odd_offsets.data()) % 2 == 0 ? 1 : 0;
    static constexpr std::array<std::int32_t, 4> ends{0, 1, 1, 3};
    std::memcpy(odd_offsets.data() + odd_at, ends.data(), sizeof ends);
    check_batch("a, , bc", Batch("u", 3, {nullptr, odd_offsets.data() + odd_at, "abc"}));
    check_batch(", bc", Batch("u", 3, {nullptr, odd_offsets.data() + odd_at, "abc"}).slice(1, 2));
    static constexpr std::array<std::int64_t, 4> long_ends{0, 1, 1, 3};
    std::memcpy(odd_offsets.data() + odd_at, long_ends.data(), sizeof long_ends);
    check_batch(", bc", Batch("U", 3, {nullptr, odd_offsets.data() + odd_at, "abc"}).slice(1, 2));
    // A slice of many: the first row's bit is in the middle of a byte.
    std::array<std::int64_t, 40> many{};
    std::array<std::uint8_t, 5> every_third{};
    for (std::size_t row = 0; row < many.size(); ++row) {
        many[row] = static_cast<std::int64_t>(row);
        if (row % 3 != 0) every_third[row / 8] |= static_cast<std::uint8_t>(1U << row % 8);
    }
    check_batch("13, 14, NULL, 16, 17, NULL, 19", Batch("l", 40, {every_third.data(), many.data()}).slice(13, 7));

    static constexpr std::array<std::int32_t, 6> offsets{0, 1, 1, 3, 3, 6};
    static constexpr std::array<std::int64_t, 6> long_offsets{0, 1, 1, 3, 3, 6};
    check_batch("a, , NULL, ", Batch("u", 4, {&some, offsets.data(), "abcdef"}));
    check_batch(", bc, , def", Batch("u", 5, {nullptr, offsets.data(), "abcdef"}).slice(1, 4));
    check_batch(", bc, , def", Batch("U", 5, {nullptr, long_offsets.data(), "abcdef"}).slice(1, 4));
    check_batch("", Batch("u", 0, {nullptr, nullptr, nullptr}));
    check_batch("", Batch("l", 0, {nullptr, nullptr}));
    static constexpr std::array<std::int32_t, 3> nothing{};
    check_batch(", ", Batch("u", 2, {nullptr, nothing.data(), nullptr}));

    Batch texts("u", 5, {nullptr, offsets.data(), "abcdef"});
    check_batch("a, bc, NULL, def",
                Batch("c", 4, {&some, std::array<std::int8_t, 4>{0, 2, -1, 4}.data()}).in_dictionary(texts));
    check_batch(
        "bc, def",
        Batch("l", 4, {nullptr, std::array<std::int64_t, 4>{0, 2, 4, 9}.data()}).slice(1, 2).in_dictionary(texts));
    // A batch may be a slice itself.
    Batch of_slice("l", 40, {every_third.data(), many.data()});
    of_slice.batch.offset = 7;
    of_slice.batch.length = 2;
    check_batch("7, 8", of_slice);
}

MXK_TEST(query, record_batches_name_what_is_wrong) {
    static constexpr std::array<std::int64_t, 4> values{0, 1, 2, 3};
    static constexpr std::array<std::int32_t, 4> descending{0, 2, 1, 3};
    static constexpr std::array<std::int32_t, 4> ascending{0, 1, 2, 3};
    auto const refuse = [](std::string_view expected, Batch const& of) { check_batch(expected, of); };
    std::string_view const types =
        "rows: column 'x': expected Arrow's bool, int8 to int64, uint8 to uint64, float, double, "
        "decimal of up to 128 bits and scale 0 to 36, date32, utf8, or a dictionary of utf8; got format ";
    for (char const* format : {"z", "tss:", "vu", "n", "d:76,2,256", "d:9,37", "d:9", "d:9,-2", "+l", ""}) {
        FixedText<300> expected(types);
        mxk::format(expected, "'{}'", std::string_view(format));
        refuse(expected.view(), Batch(format, 4, {nullptr, values.data()}));
    }
    refuse("box 'scan': column 'x': row 1: expected the end of a text at 2 or behind, got 1",
           Batch("u", 3, {nullptr, descending.data(), "abc"}));
    static constexpr std::array<std::int64_t, 4> long_descending{0, 2, 1, 3};
    refuse("rows: column 'x': row 1: expected the end of a text at 2 or behind, got 1",
           Batch("U", 3, {nullptr, long_descending.data(), "abc"}));
    refuse("rows: column 'x': expected a buffer 1, got 1", Batch("l", 3, {nullptr}));
    refuse("rows: column 'x': expected values, got none", Batch("l", 3, {nullptr, nullptr}));
    Batch longer("l", 4, {nullptr, values.data()});
    longer.batch.length = 9;
    refuse("rows: column 'x': expected 9 rows, got 4", longer);
    Batch texts("u", 3, {nullptr, ascending.data(), "abc"});
    refuse("rows: column 'x': row 3: expected a code below 3, got 3",
           Batch("l", 4, {nullptr, values.data()}).in_dictionary(texts));
    refuse("rows: column 'x': expected integers as codes of a dictionary, got format 'g'",
           Batch("g", 4, {nullptr, values.data()}).in_dictionary(texts));
    refuse("rows: column 'x': expected the bytes of texts, got none",
           Batch("u", 3, {nullptr, ascending.data(), nullptr}));
    refuse("rows: column 'x': expected the bytes of texts, got none", Batch("U", 3, {nullptr, values.data(), nullptr}));
    Batch no_type("n", 4, {}); // has no buffers, and does not say how many are NULL
    no_type.column.null_count = 4;
    FixedText<300> no_such_type(types);
    no_such_type.append("'n'");
    refuse(no_such_type.view(), no_type);
    static constexpr std::uint8_t first_is_null = 0b110;
    Batch texts_with_null("u", 3, {&first_is_null, ascending.data(), "abc"}); // how many is not known
    refuse("rows: column 'x': expected a dictionary without NULL",
           Batch("l", 3, {nullptr, values.data()}).in_dictionary(texts_with_null));
    Batch numbers("l", 4, {nullptr, values.data()});
    refuse("rows: column 'x': expected a dictionary of utf8",
           Batch("l", 4, {nullptr, values.data()}).in_dictionary(numbers));
    Batch large("u", 257, {nullptr, nullptr, nullptr});
    refuse("rows: column 'x': expected a dictionary of up to 256 texts, got 257",
           Batch("l", 4, {nullptr, values.data()}).in_dictionary(large));
    Batch released("l", 4, {nullptr, values.data()});
    released.batch.release = nullptr;
    refuse("rows: expected arrays that are not released yet", released);
    Batch no_struct("l", 4, {nullptr, values.data()});
    no_struct.schema.format = "l";
    refuse("rows: expected a record batch (format '+s'), got format 'l' with 1 columns and 1 arrays", no_struct);
    Batch unnamed("l", 4, {nullptr, values.data()});
    unnamed.column_schema.name = nullptr;
    refuse("rows: expected a column's name of 1 to 31 characters, got ''", unnamed);
}

} // namespace mxk::query_tests
