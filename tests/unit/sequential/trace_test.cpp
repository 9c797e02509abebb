#include "bench/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/crc32.hpp"

namespace mxk::bench {
namespace {

using namespace trace_format;

// A binary trace, byte by byte as the documentation says and not as the parser's constants do.
std::string binary_trace(std::vector<TraceRecord> const& records) {
    std::string trace = "MXKTRACE";
    auto const append = [&](std::uint64_t number, unsigned bytes) {
        for (unsigned i = 0; i < bytes; ++i) trace += static_cast<char>(number >> 8 * i);
    };
    append(0x01020304, 4);
    append(1, 4);
    append(records.size(), 8);
    std::string const head = trace;
    trace.clear();
    for (TraceRecord const& record : records) {
        append(static_cast<std::uint64_t>(record.operation), 1);
        append(record.key, 8);
        append(record.value, 8);
    }
    std::string const body = trace;
    trace = head;
    append(crc32(body, crc32(head)), 4);
    append(0, 4);
    return trace + body;
}

std::span<std::byte const> bytes_of(std::string const& text) {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
}

// What is wrong with it; empty: nothing.
std::string trace_complaint(std::string const& text) {
    auto const trace = Trace::check(bytes_of(text));
    return trace ? "" : std::string(trace.error().message());
}

std::vector<TraceRecord> operations_of(std::string const& text) {
    auto const trace = Trace::check(bytes_of(text));
    EXPECT_TRUE(trace.ok()) << trace.error().message();
    std::vector<TraceRecord> result;
    TraceReader reader(trace.value());
    for (TraceRecord record{}; reader.next(record);) result.push_back(record);
    EXPECT_EQ(result.size(), trace.value().size());
    return result;
}

constexpr std::uint64_t max_value = ~std::uint64_t{0};
std::vector<TraceRecord> const every_operation = {
    {Operation::Insert, 7, 70},  {Operation::Find, 7, 0},
    {Operation::Update, 7, 71},  {Operation::Upsert, Keys::max, max_value},
    {Operation::Modify, 16, 72}, {Operation::Erase, 7, 0}};

void expect_every_operation(std::vector<TraceRecord> const& got) {
    ASSERT_EQ(got.size(), every_operation.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].operation, every_operation[i].operation) << i;
        EXPECT_EQ(got[i].key, every_operation[i].key) << i;
        EXPECT_EQ(got[i].value, every_operation[i].value) << i;
    }
}

// What is wrong when one field of a good trace is another one.
template <typename T> std::string complaint_with(std::size_t offset, T value) {
    std::string trace = binary_trace(every_operation);
    __builtin_memcpy(trace.data() + offset, &value, sizeof value);
    return trace_complaint(trace);
}

TEST(TraceTest, binary_form) {
    expect_every_operation(operations_of(binary_trace(every_operation)));
    std::string const text = binary_trace(every_operation);
    Trace const trace = Trace::check(bytes_of(text)).value();
    EXPECT_EQ(trace.form(), Trace::Form::Binary);
    EXPECT_EQ(trace.count(Operation::Find), 1U);
}

TEST(TraceTest, text_form) {
    expect_every_operation(operations_of("mxk-trace 1\r\n# recorded by hand\n\ninsert 7 70\r\n find\t7   # its first\n"
                                         "update 7 71\nupsert 18446744073709551614 0xFFFFFFFFFFFFFFFF\n"
                                         "modify 0x10 72\n   \nerase 7"));
}

TEST(TraceTest, each_field_of_the_header_is_checked) {
    EXPECT_EQ(complaint_with(8, 0x04030201),
              "offset 8: expected the byte order mark 0x01020304 of a little-endian machine, got 0x04030201: the trace "
              "has the other byte order");
    EXPECT_EQ(complaint_with(8, 5), "offset 8: expected the byte order mark 0x01020304, got 0x00000005");
    EXPECT_EQ(complaint_with(12, 2), "offset 12: expected version 1, got 2");
    EXPECT_EQ(complaint_with(28, 1), "offset 28: expected 0, got 0x00000001");
    EXPECT_EQ(complaint_with(16, std::uint64_t{0}), "offset 16: expected 1 to 4000000000 operations, got 0");
    EXPECT_EQ(complaint_with(16, ~std::uint64_t{0}),
              "offset 16: expected 1 to 4000000000 operations, got 18446744073709551615");
    EXPECT_TRUE(complaint_with(24, 0).starts_with("offset 24: expected the check sum 0x")) << complaint_with(24, 0);
    EXPECT_TRUE(complaint_with(41, std::uint8_t{9}).starts_with("offset 24: expected the check sum")); // a value
}

TEST(TraceTest, a_trace_of_another_length) {
    std::string const whole = binary_trace(every_operation);
    EXPECT_EQ(trace_complaint(whole.substr(0, 20)),
              "offset 20: expected a header of 32 bytes, got the end of the trace");
    EXPECT_EQ(trace_complaint(whole.substr(0, whole.size() - 1)),
              "offset 133: expected 134 bytes, for 6 operations, got the end of the trace in number 6");
    EXPECT_EQ(trace_complaint(whole.substr(0, 32)),
              "offset 32: expected 134 bytes, for 6 operations, got the end of the trace in number 1");
    EXPECT_EQ(trace_complaint(whole + "xy"),
              "offset 134: expected the end of the trace behind 6 operations, got 2 more bytes");
}

TEST(TraceTest, each_field_of_an_operation_is_checked) {
    EXPECT_EQ(complaint_with(49, std::uint8_t{6}),
              "offset 49: expected an operation from 0 to 5, got 6 (operation number 2)");
    EXPECT_EQ(complaint_with(50, std::uint64_t{0}),
              "offset 50: expected a key from 1 to 18446744073709551614, got 0 (operation number 2)");
    EXPECT_EQ(complaint_with(50, max_value), "offset 50: expected a key from 1 to 18446744073709551614, got "
                                             "18446744073709551615 (operation number 2)");
    EXPECT_EQ(complaint_with(58, std::uint64_t{3}),
              "offset 58: expected the value 0 of an operation that writes none, got 3 (operation number 2)");
}

TEST(TraceTest, wrong_lines) {
    auto const second_line = [](std::string const& line) { return trace_complaint("mxk-trace 1\n" + line + "\n"); };
    EXPECT_EQ(second_line("scan 7 3"), "offset 12, line 2: expected one of insert, find, erase, update, upsert, "
                                       "modify, got 'scan'");
    EXPECT_EQ(second_line("find"), "offset 16, line 2: expected a key from 1 to 18446744073709551614, got the end of "
                                   "the line");
    EXPECT_EQ(second_line("find 0"), "offset 17, line 2: expected a key from 1 to 18446744073709551614, got '0'");
    EXPECT_EQ(second_line("update 7"), "offset 20, line 2: expected a value of 64 bits, got the end of the line");
    EXPECT_EQ(second_line("update 7 18446744073709551616"),
              "offset 21, line 2: expected a value of 64 bits, got '18446744073709551616'");
    EXPECT_EQ(second_line("find 7 70"), "offset 19, line 2: expected the end of the line, got '70'");
    EXPECT_EQ(second_line("# nothing"), "offset 22: expected 1 to 4000000000 operations, got 0 and the end of the "
                                        "trace");
}

TEST(TraceTest, what_is_no_trace) {
    EXPECT_EQ(trace_complaint(""), "offset 0: expected a trace, which begins with MXKTRACE or with the line "
                                   "'mxk-trace 1', got ''");
    EXPECT_EQ(trace_complaint("READ usertable user1 [ <all fields>]\n"),
              "offset 0: expected a trace, which begins with MXKTRACE or with the line 'mxk-trace 1', got 'READ "
              "usertable user1 [ <'");
}

} // namespace
} // namespace mxk::bench
