#include "bench/trace/trace.hpp"

#include <algorithm>
#include <optional>

#include "base/bytes.hpp"
#include "base/crc32.hpp"
#include "bench/workload/text_lines.hpp"

namespace mxk::bench {
namespace {

using namespace trace_format;

std::string_view text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

// Of a field that was checked to be there.
template <typename T> T field(std::span<std::byte const> bytes, std::size_t offset) {
    return read<T>(bytes, offset).value_or(T{});
}

std::uint32_t sum_of_content(std::span<std::byte const> bytes) {
    std::string_view const text = text_of(bytes);
    return crc32(text.substr(header_bytes), crc32(text.substr(0, check_sum_at)));
}

Result<void> check_header(std::span<std::byte const> bytes) {
    if (bytes.size() < header_bytes)
        return Error::of("offset {}: expected a header of {} bytes, got the end of the trace", bytes.size(),
                         header_bytes);
    auto const order = field<std::uint32_t>(bytes, byte_order_at);
    if (order == swapped_byte_order)
        return Error::of(
            "offset {}: expected the byte order mark 0x{:08x} of a little-endian machine, got 0x{:08x}: the "
            "trace has the other byte order",
            byte_order_at, byte_order, order);
    if (order != byte_order)
        return Error::of("offset {}: expected the byte order mark 0x{:08x}, got 0x{:08x}", byte_order_at, byte_order,
                         order);
    if (auto const got = field<std::uint32_t>(bytes, version_at); got != version)
        return Error::of("offset {}: expected version {}, got {}", version_at, version, got);
    if (auto const got = field<std::uint32_t>(bytes, zero_at); got != 0)
        return Error::of("offset {}: expected 0, got 0x{:08x}", zero_at, got);
    return {};
}

// As many operations as the header says, and nothing behind.
Result<void> check_length(std::span<std::byte const> bytes) {
    auto const count = field<std::uint64_t>(bytes, count_at);
    if (count == 0 || count > max_operations)
        return Error::of("offset {}: expected 1 to {} operations, got {}", count_at, max_operations, count);
    std::uint64_t const end = header_bytes + count * record_bytes;
    if (bytes.size() < end)
        return Error::of("offset {}: expected {} bytes, for {} operations, got the end of the trace in number {}",
                         bytes.size(), end, count, (bytes.size() - header_bytes) / record_bytes + 1);
    if (bytes.size() > end)
        return Error::of("offset {}: expected the end of the trace behind {} operations, got {} more bytes", end, count,
                         bytes.size() - end);
    return {};
}

Result<void> check_sum(std::span<std::byte const> bytes) {
    auto const said = field<std::uint32_t>(bytes, check_sum_at);
    std::uint32_t const sum = sum_of_content(bytes);
    if (said == sum) return {};
    return Error::of("offset {}: expected the check sum 0x{:08x} of what the trace holds, got 0x{:08x}", check_sum_at,
                     sum, said);
}

std::optional<Operation> operation_of(std::string_view name) {
    for (std::size_t i = 0; i < operations.size(); ++i)
        if (operations[i].name == name) return static_cast<Operation>(i);
    return {};
}

constexpr std::string_view an_operation = "one of insert, find, erase, update, upsert, modify";
constexpr std::string_view a_key = "a key from 1 to 18446744073709551614";
constexpr std::string_view a_value = "a value of 64 bits";
constexpr std::string_view the_end_of_the_line = "the end of the line";
constexpr std::string_view a_number_of_an_operation = "an operation from 0 to 5";
constexpr std::string_view no_value = "the value 0 of an operation that writes none";
static_assert(Keys::max == 18446744073709551614U && operations.size() == 6);

} // namespace

Result<Trace> Trace::check(std::span<std::byte const> bytes) {
    std::string_view const text = text_of(bytes);
    bool const is_binary = text.starts_with(magic);
    std::string_view rest = text;
    if (!is_binary && next_line(rest) != text_head)
        return Error::of("offset 0: expected a trace, which begins with {} or with the line '{}', got '{}'", magic,
                         text_head, shown(text.substr(0, text.find('\n'))).view());
    if (is_binary) {
        MXK_TRY(check_header(bytes));
        MXK_TRY(check_length(bytes));
    }
    Trace trace(bytes, is_binary ? Form::Binary : Form::Text);
    TraceReader reader(trace);
    for (TraceRecord record{}; reader.next(record);) ++trace.counts_[static_cast<std::size_t>(record.operation)];
    MXK_TRY(reader.result());
    if (is_binary) MXK_TRY(check_sum(bytes));
    if (trace.size() == 0 || trace.size() > max_operations)
        return Error::of("offset {}: expected 1 to {} operations, got {} and the end of the trace", bytes.size(),
                         max_operations, trace.size());
    return trace;
}

std::uint64_t Trace::size() const {
    std::uint64_t sum = 0;
    for (std::uint64_t const count : counts_) sum += count;
    return sum;
}

TraceReader::TraceReader(std::span<std::byte const> bytes, Trace::Form form)
    : bytes_(bytes)
    , form_(form)
    , at_(form == Trace::Form::Binary ? header_bytes : 0) {
    if (form_ == Trace::Form::Binary) return;
    std::string_view rest = text_of(bytes_);
    next_line(rest);
    at_ = bytes_.size() - rest.size();
    number_ = 1;
}

bool TraceReader::next(TraceRecord& record) {
    return form_ == Trace::Form::Binary ? next_in_binary(record) : next_in_text(record);
}

bool TraceReader::next_in_binary(TraceRecord& record) {
    if (at_ == bytes_.size()) return false;
    ++number_;
    auto const code = field<std::uint8_t>(bytes_, at_);
    record.key = field<std::uint64_t>(bytes_, at_ + key_offset);
    record.value = field<std::uint64_t>(bytes_, at_ + value_offset);
    auto const wrong = [this](std::size_t offset, std::string_view expected) {
        wrong_at_ = at_ + offset;
        expected_ = expected;
        return false;
    };
    if (code >= operations.size()) return wrong(0, a_number_of_an_operation);
    if (!is_key(record.key)) return wrong(key_offset, a_key);
    if (record.value != 0 && !operations[code].writes_value) return wrong(value_offset, no_value);
    record.operation = static_cast<Operation>(code);
    at_ += record_bytes;
    return true;
}

// A line that says nothing is followed by the next one.
bool TraceReader::next_in_text(TraceRecord& record) {
    std::string_view const text = text_of(bytes_);
    std::string_view rest = text.substr(at_);
    std::string_view line;
    std::string_view name;
    while (name.empty()) {
        if (rest.empty()) return false;
        ++number_;
        line = next_line(rest);
        line = line.substr(0, line.find('#'));
        name = next_word(line);
    }
    auto const wrong = [&](std::string_view word, std::string_view expected) {
        wrong_at_ = static_cast<std::size_t>(word.data() - text.data());
        wrong_word_ = word;
        expected_ = expected;
        return false;
    };
    auto const operation = operation_of(name);
    if (!operation) return wrong(name, an_operation);
    std::string_view const key_word = next_word(line);
    auto const key = parse_number(key_word);
    if (!is_key(key)) return wrong(key_word, a_key);
    record = {*operation, *key, 0};
    if (description_of(*operation).writes_value) {
        std::string_view const value_word = next_word(line);
        auto const value = parse_number(value_word);
        if (!value) return wrong(value_word, a_value);
        record.value = *value;
    }
    if (std::string_view const more = next_word(line); !more.empty()) return wrong(more, the_end_of_the_line);
    at_ = text.size() - rest.size();
    return true;
}

Result<void> TraceReader::result() const {
    if (wrong_at_ == 0) return {};
    return form_ == Trace::Form::Binary ? wrong_in_binary() : wrong_in_text();
}

Error TraceReader::wrong_in_binary() const {
    std::uint64_t const got =
        wrong_at_ == at_ ? field<std::uint8_t>(bytes_, wrong_at_) : field<std::uint64_t>(bytes_, wrong_at_);
    return Error::of("offset {}: expected {}, got {} (operation number {})", wrong_at_, expected_, got, number_);
}

Error TraceReader::wrong_in_text() const {
    return Error::of("offset {}, line {}: expected {}, got {}{}{}", wrong_at_, number_, expected_,
                     wrong_word_.empty() ? "the end of the line" : "'", shown(wrong_word_).view(),
                     wrong_word_.empty() ? "" : "'");
}

} // namespace mxk::bench
