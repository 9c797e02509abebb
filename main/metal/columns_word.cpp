#include "main/metal/columns_word.hpp"

#include "arch/x86_64/board/serial.hpp"
#include "base/log.hpp"
#include "kernel/console/values.hpp"

namespace mxk::metal {

void choose_columns(std::string_view word) {
    if (word.empty()) return;
    auto const columns = console::parse_count(word, 48, 1000);
    if (!columns) return log::warn("columns={:.20}: {}", word, columns.error().message());
    arch::serial::set_columns(columns.value());
}

} // namespace mxk::metal
