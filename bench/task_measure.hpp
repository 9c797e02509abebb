// What `bench task` can measure, and a set of that: `--measure local,wake`.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::bench {

enum class Measure : std::uint8_t { Local, Hop, Stream, Mail, RoundTrip, RemoteRoundTrip, Wake };

inline constexpr std::array all_measures{Measure::Local, Measure::Hop,       Measure::Stream,
                                         Measure::Mail,  Measure::RoundTrip, Measure::RemoteRoundTrip,
                                         Measure::Wake};

// As it is typed and as it stands in results.
std::string_view name_of(Measure measure);

// Empty where nobody has chosen: then all that the machine can do are meant.
class MeasureSet {
  public:
    constexpr MeasureSet() = default;
    constexpr MeasureSet(std::initializer_list<Measure> measures) {
        for (Measure const measure : measures) add(measure);
    }

    constexpr void add(Measure measure) { bits_ |= bit(measure); }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
    [[nodiscard]] constexpr bool has(Measure measure) const { return (bits_ & bit(measure)) != 0; }

  private:
    static constexpr std::uint32_t bit(Measure measure) { return std::uint32_t{1} << static_cast<unsigned>(measure); }

    std::uint32_t bits_ = 0;
};

// What kernel/console/options.hpp asks of an option's type: names with commas between.
Result<void> parse_value(std::string_view text, MeasureSet& measures);
void print_value(TextSink& out, MeasureSet const& measures);
void describe_value(TextSink& out, MeasureSet const& measures);

} // namespace mxk::bench
