// A JSON object on a line of its own, for tools, that can prove to be whole: its last field, "crc32", is the CRC-32
// (base/crc32.hpp) of all bytes of the line before that field's comma, in eight hexadecimal digits. A serial line may
// lose or change bytes; the reader then names the line and leaves it out. Allocates nothing. Blocks only as the sink
// does; one core.
//
//     JsonLine line(sink);
//     line.json().field("cores", 4U);
//     line.end();                   // {"cores":4,"crc32":"33d8c4af"} and a line end
#pragma once

#include <cstdint>
#include <string_view>

#include "base/crc32.hpp"
#include "base/format.hpp"
#include "base/json.hpp"

namespace mxk {

class JsonLine {
  public:
    // The sink must outlive the line. Begins the object.
    explicit JsonLine(TextSink& sink)
        : summed_(sink) {
        json_.begin_object();
    }
    JsonLine(JsonLine const&) = delete;
    JsonLine& operator=(JsonLine const&) = delete;

    // Takes one field or more.
    [[nodiscard]] JsonWriter& json() { return json_; }

    // The check sum, the end of the object, and of the line. Once, as the last call.
    void end() {
        FixedText<8> sum;
        format(sum, "{:08x}", summed_.sum());
        json_.field("crc32", sum.view());
        json_.end_object();
        summed_.write("\n");
    }

  private:
    class SummedSink final : public TextSink {
      public:
        explicit SummedSink(TextSink& sink)
            : sink_(sink) {}
        void write(std::string_view text) override {
            sum_ = crc32(text, sum_);
            sink_.write(text);
        }
        [[nodiscard]] std::uint32_t sum() const { return sum_; }

      private:
        TextSink& sink_;
        std::uint32_t sum_ = 0;
    };

    SummedSink summed_;
    JsonWriter json_{summed_};
};

} // namespace mxk
