#include "base/json.hpp"

#include <limits>

namespace mxk {

void JsonWriter::begin_object() {
    separate();
    open('{');
}
void JsonWriter::begin_object(std::string_view name) {
    begin_name(name);
    open('{');
}
void JsonWriter::end_object() {
    close('}');
}

void JsonWriter::begin_array() {
    separate();
    open('[');
}
void JsonWriter::begin_array(std::string_view name) {
    begin_name(name);
    open('[');
}
void JsonWriter::end_array() {
    close(']');
}

void JsonWriter::field(std::string_view name, FormatArgument value) {
    begin_name(name);
    write_value(value);
}

void JsonWriter::null_field(std::string_view name) {
    begin_name(name);
    sink_.write("null");
}

void JsonWriter::element(FormatArgument value) {
    separate();
    write_value(value);
}

void JsonWriter::separate() {
    if (comma_due_) sink_.write(",");
    comma_due_ = true;
}

void JsonWriter::begin_name(std::string_view name) {
    separate();
    write_text(name);
    sink_.write(":");
}

void JsonWriter::open(char bracket) {
    sink_.write({&bracket, 1});
    comma_due_ = false;
}

void JsonWriter::close(char bracket) {
    sink_.write({&bracket, 1});
    comma_due_ = true;
}

void JsonWriter::write_value(FormatArgument const& value) {
    using Kind = FormatArgument::Kind;
    switch (value.kind) {
    case Kind::Text: return write_text(value.text_value);
    case Kind::Character: return write_text({&value.character_value, 1});
    case Kind::Real: return write_real(value.real_value);
    case Kind::Boolean:
    case Kind::Unsigned:
    case Kind::Signed: return format_erased(sink_, "{}", {&value, 1});
    case Kind::Address: return format_erased(sink_, "\"{}\"", {&value, 1});
    }
}

void JsonWriter::write_text(std::string_view text) {
    sink_.write("\"");
    for (char const character : text) write_escaped(character);
    sink_.write("\"");
}

void JsonWriter::write_escaped(char character) {
    switch (character) {
    case '"': return sink_.write("\\\"");
    case '\\': return sink_.write("\\\\");
    case '\n': return sink_.write("\\n");
    case '\r': return sink_.write("\\r");
    case '\t': return sink_.write("\\t");
    default: break;
    }
    auto const code = static_cast<unsigned char>(character);
    if (code < 0x20 || code >= 0x7f) return format(sink_, "\\u{:04x}", code);
    sink_.write({&character, 1});
}

void JsonWriter::write_real(double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    if (!(value >= -largest && value <= largest)) return sink_.write("null"); // JSON has neither nan nor infinity

    // Inside [1e-3, 1e15) nine decimals say enough; outside, a power of ten is split off.
    double magnitude = value < 0 ? -value : value;
    int exponent = 0;
    if (magnitude != 0 && (magnitude < 1e-3 || magnitude >= 1e15)) {
        for (; magnitude >= 10; ++exponent) magnitude /= 10;
        for (; magnitude < 1; --exponent) magnitude *= 10;
    }
    FixedText<40> number;
    format(number, "{:.9}", magnitude);
    std::string_view digits = number.view();
    digits.remove_suffix(digits.size() - 1 - digits.find_last_not_of('0'));
    if (digits.ends_with('.')) digits.remove_suffix(1);

    if (value < 0) sink_.write("-");
    sink_.write(digits);
    if (exponent != 0) format(sink_, "e{}", exponent);
}

} // namespace mxk
