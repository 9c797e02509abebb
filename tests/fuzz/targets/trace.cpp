// An input is: u8 flags (bit 0: the bytes become a binary trace whose count and check sum are made right), then the
// trace.
#include "bench/trace/trace.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/crc32.hpp"
#include "tests/fuzz/targets/input.hpp"

namespace mxk::fuzz {
namespace {

using namespace bench::trace_format;
using TraceBytes = std::vector<std::byte>;

constexpr std::uint8_t flag_made_right = 1;

template <typename T> void put_field(TraceBytes& bytes, std::size_t offset, T value) {
    __builtin_memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string_view characters_of(TraceBytes const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

void make_header_right(TraceBytes& bytes) {
    if (bytes.size() < header_bytes) return;
    __builtin_memcpy(bytes.data(), magic.data(), magic.size());
    put_field(bytes, byte_order_at, byte_order);
    put_field(bytes, version_at, version);
    put_field(bytes, count_at, std::uint64_t{(bytes.size() - header_bytes) / record_bytes});
    put_field(bytes, zero_at, std::uint32_t{0});
    std::string_view const text = characters_of(bytes);
    put_field(bytes, check_sum_at, crc32(text.substr(header_bytes), crc32(text.substr(0, check_sum_at))));
}

// The same operations in the binary form.
TraceBytes written_trace(bench::Trace const& trace) {
    TraceBytes bytes(header_bytes);
    bench::TraceReader reader(trace);
    for (bench::TraceRecord record{}; reader.next(record);) {
        std::size_t const at = bytes.size();
        bytes.resize(at + record_bytes);
        put_field(bytes, at, record.operation);
        put_field(bytes, at + key_offset, record.key);
        put_field(bytes, at + value_offset, record.value);
    }
    make_header_right(bytes);
    return bytes;
}

} // namespace

void trace(InputBytes bytes) {
    Input rest(bytes);
    auto const flags = rest.take<std::uint8_t>();
    InputBytes const content = rest.take_rest();
    TraceBytes copied(content.begin(), content.end()); // a block of its own: AddressSanitizer sees a step beyond it
    if ((flags & flag_made_right) != 0) make_header_right(copied);
    auto const trace = bench::Trace::check(copied);
    if (!trace) {
        EXPECT_TRUE(trace.error().message().starts_with("offset ")) << trace.error().message();
        return;
    }
    std::uint64_t count = 0;
    bench::TraceReader reader(trace.value());
    for (bench::TraceRecord record{}; reader.next(record); ++count) {
        EXPECT_TRUE(record.key != 0 && record.key <= bench::Keys::max);
        EXPECT_TRUE(record.value == 0 || bench::description_of(record.operation).writes_value);
    }
    EXPECT_EQ(count, trace.value().size());

    TraceBytes const again = written_trace(trace.value());
    auto const read_back = bench::Trace::check(again);
    ASSERT_TRUE(read_back.ok()) << read_back.error().message();
    EXPECT_EQ(written_trace(read_back.value()), again);
    if (trace.value().form() == bench::Trace::Form::Binary) {
        EXPECT_EQ(again, copied);
    }
}

} // namespace mxk::fuzz
