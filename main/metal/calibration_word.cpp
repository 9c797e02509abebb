#include "main/metal/calibration_word.hpp"

#include "base/log.hpp"
#include "tasks/commands/prefetch_names.hpp"

namespace mxk::metal {

void choose_calibration(std::string_view word) {
    if (word.empty()) return;
    using Value = console::OptionValue<prefetching::Calibrate>;
    prefetching::Calibrate when{};
    if (auto const parsed = Value::parse(word, when, {}); !parsed)
        return log::warn("calibrate={}: {}", word, parsed.error().message());
    prefetching::set_calibrate(when);
}

} // namespace mxk::metal
