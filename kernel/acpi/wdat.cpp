#include "kernel/acpi/wdat.hpp"

#include <optional>
#include <span>

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

struct [[gnu::packed]] WdatHead {
    std::uint32_t header_length; // 36
    std::uint16_t pci_segment;   // 40
    std::uint8_t pci_bus;        // 42
    std::uint8_t pci_device;     // 43
    std::uint8_t pci_function;   // 44
    std::uint8_t reserved0[3];   // 45
    std::uint32_t timer_period;  // 48: ms
    std::uint32_t max_count;     // 52
    std::uint32_t min_count;     // 56
    std::uint8_t flags;          // 60: bit 0: enabled
    std::uint8_t reserved1[3];   // 61
    std::uint32_t entries;       // 64
};
static_assert(sizeof(WdatHead) == 32);
constexpr std::size_t first_entry = table_header_bytes + sizeof(WdatHead);

struct [[gnu::packed]] WdatEntry {
    std::uint8_t action;      //  0
    std::uint8_t instruction; //  1
    std::uint16_t reserved;   //  2
    GenericAddress place;     //  4
    std::uint32_t value;      // 16
    std::uint32_t mask;       // 20
};
static_assert(sizeof(WdatEntry) == 24);

namespace action {
constexpr std::uint8_t query_running = 8;
constexpr std::uint8_t set_stopped = 11;
} // namespace action

namespace instruction {
constexpr std::uint8_t read_value = 0; // whether the register has the value
constexpr std::uint8_t write_value = 2;
constexpr std::uint8_t preserve = 0x80; // the register's other bits
} // namespace instruction

class Watchdog {
  public:
    Watchdog(std::span<std::byte const> table, std::uint32_t entries, RegisterAccess& access)
        : table_(table)
        , entries_(entries)
        , access_(access) {}

    // The first instruction that cannot be carried out, and why, if it is its register; nothing: all can be.
    struct Wrong {
        std::uint32_t entry;
        FixedText<64> objection;
    };
    [[nodiscard]] std::optional<Wrong> first_wrong() const {
        for (std::uint32_t i = 0; i < entries_; ++i) {
            auto const entry = at(i);
            if (!entry) return Wrong{i, {}};
            if (entry->action != action::query_running && entry->action != action::set_stopped) continue;
            GenericAddress const place = entry->place;
            unsigned const what = entry->instruction & (instruction::preserve - 1U);
            bool const fits = entry->action == action::query_running ? what == instruction::read_value
                                                                     : what == instruction::write_value;
            if (!fits || access_bytes(place) == 0 || place.bit_offset > 31) return Wrong{i, {}};
            if (auto const why = access_.objection(place); !why.view().empty()) return Wrong{i, why};
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t address_of(std::uint32_t entry) const { return at(entry)->place.address; }

    // Nothing: the table does not say how to ask.
    [[nodiscard]] std::optional<bool> runs() const {
        std::optional<bool> result;
        for_each(action::query_running, [&](WdatEntry const& entry) {
            GenericAddress const place = entry.place;
            std::uint32_t const found = access_.read(place) >> place.bit_offset & entry.mask;
            result = result.value_or(true) && found == entry.value;
        });
        return result;
    }

    void stop() const {
        for_each(action::set_stopped, [&](WdatEntry const& entry) {
            GenericAddress const place = entry.place;
            std::uint32_t value = (entry.value & entry.mask) << place.bit_offset;
            if ((entry.instruction & instruction::preserve) != 0)
                value |= access_.read(place) & ~(entry.mask << place.bit_offset);
            access_.write(place, value);
        });
    }

  private:
    [[nodiscard]] std::optional<WdatEntry> at(std::uint32_t number) const {
        return mxk::read<WdatEntry>(table_, first_entry + std::size_t{number} * sizeof(WdatEntry));
    }
    template <typename Function> void for_each(std::uint8_t wanted, Function function) const {
        for (std::uint32_t i = 0; i < entries_; ++i)
            if (auto const entry = at(i); entry && entry->action == wanted) function(*entry);
    }

    std::span<std::byte const> table_;
    std::uint32_t entries_;
    RegisterAccess& access_;
};

} // namespace

WatchdogEnd stop_watchdog(Tables const& tables, RegisterAccess& access) {
    auto const table = tables.find_only("WDAT");
    auto const head = read<WdatHead>(table, table_header_bytes);
    if (!head) {
        if (!table.empty()) tables.warnings().warn("ACPI: WDAT of {} bytes; it is not read", table.size());
        return WatchdogEnd::None;
    }
    Watchdog const watchdog(table, head->entries, access);
    if (auto const wrong = watchdog.first_wrong()) {
        FixedText<112> why;
        if (!wrong->objection.view().empty())
            format(why, ", its register is at {}, {}", PhysicalAddress{watchdog.address_of(wrong->entry)},
                   wrong->objection.view());
        tables.warnings().warn("ACPI: WDAT of {} bytes with {} entries: entry {} cannot be carried out{}; none is",
                               table.size(), std::uint32_t{head->entries}, wrong->entry, why.view());
        return WatchdogEnd::None;
    }
    bool const is_enabled = (head->flags & 1) != 0;
    if (!watchdog.runs().value_or(is_enabled)) return WatchdogEnd::None;
    watchdog.stop();
    return watchdog.runs().value_or(true) ? WatchdogEnd::Runs : WatchdogEnd::Stopped;
}

} // namespace mxk::acpi
