#include "kernel/acpi/warning_sink.hpp"

namespace mxk::acpi {
namespace {

class LogWarnings final : public WarningSink {
    void take(log::Line& line) override { log::warn("{}", line.view()); }
};
constinit LogWarnings to_log;

class NoWarnings final : public WarningSink {
    void take(log::Line&) override {}
};
constinit NoWarnings to_nobody;

} // namespace

WarningSink& log_warnings() {
    return to_log;
}
WarningSink& no_warnings() {
    return to_nobody;
}

void WarningList::take(log::Line& line) {
    auto const place = arena_.array<Kept>(1);
    if (!place) {
        lost_ = true;
        return;
    }
    Kept* const kept = place.value().data();
    kept->line = line;
    (last_ == nullptr ? first_ : last_->next) = kept;
    last_ = kept;
    ++count_;
}

Result<std::span<log::Line const>> WarningList::lines() const {
    if (lost_) return Error("out of memory: a warning could not be kept");
    std::span<log::Line> const result = MXK_TRY(arena_.array<log::Line>(count_));
    std::size_t next = 0;
    for (Kept const* kept = first_; kept != nullptr; kept = kept->next) result[next++] = kept->line;
    return std::span<log::Line const>(result);
}

} // namespace mxk::acpi
