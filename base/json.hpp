// JSON for tools (RFC 8259): one value on one line, written as it goes, no allocation, no line end. The output is
// always ASCII: bytes from 0x80 on, which only firmware's strings have, are read as Latin-1 and escaped, so that no
// foreign text can make a line unreadable. Reals carry nine decimals, or ten significant digits where they are very
// small or large. Begin and end have to match; the writer does not check. Blocks only as the sink does.
//
//     JsonWriter json(sink);
//     json.begin_object();
//     json.field("cores", 4U);
//     json.begin_array("throughput");
//     json.element(1.5e6);
//     json.end_array();
//     json.end_object();            // {"cores":4,"throughput":[1500000]}
#pragma once

#include <string_view>

#include "base/format.hpp"

namespace mxk {

class JsonWriter {
  public:
    // The sink must outlive the writer.
    explicit JsonWriter(TextSink& sink)
        : sink_(sink) {}

    // Inside an object things have names; inside an array, and the whole line, they have none.
    void begin_object();
    void begin_object(std::string_view name);
    void end_object();
    void begin_array();
    void begin_array(std::string_view name);
    void end_array();

    // Text, unsigned, signed, bool, reals (null if not finite), enumerators (as numbers), addresses (as text, 0x...).
    void field(std::string_view name, FormatArgument value);
    void element(FormatArgument value);
    // A field whose value is not known.
    void null_field(std::string_view name);

  private:
    void separate();
    void begin_name(std::string_view name);
    void open(char bracket);
    void close(char bracket);
    void write_value(FormatArgument const& value);
    void write_text(std::string_view text);
    void write_escaped(char character);
    void write_real(double value);

    TextSink& sink_;
    // Something stands before in the same object or array. One flag is enough for any depth: an object
    // or array that is closed is itself something that stands before.
    bool comma_due_ = false;
};

} // namespace mxk
