// What a run does to one table, one phase after the other: any of insert, find and erase, in this order, or a phase
// that mixes them alone. Each phase runs as many operations as there are keys. Without keys from an insert before, the
// first find or erase needs a table that was filled for it. A workload of YCSB (ycsb.hpp) has two phases of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

// Which operations a phase of a run consists of: `insert`, `find`, `erase`, or of all three with shares in percent:
// `mixed:I/F/E` from an empty table on, `loaded:I/F/E` on one that was filled with all keys; or those of a trace, which
// are not asked for by a name.
struct Mix {
    // In the order in which phases make sense. Load and Run are those of a workload (ycsb.hpp).
    enum class Kind : std::uint8_t { Insert, Find, Erase, Mixed, Loaded, Load, Run, Trace };

    Kind kind = Kind::Insert;
    // Percent, together 100; only for Mixed and Loaded.
    std::uint32_t insert = 0;
    std::uint32_t find = 0;
    std::uint32_t erase = 0;

    // Works on keys that must be in the table already.
    [[nodiscard]] constexpr bool needs_keys() const {
        return kind == Kind::Find || kind == Kind::Erase || kind == Kind::Loaded || kind == Kind::Run;
    }
    [[nodiscard]] constexpr bool has_shares() const { return kind == Kind::Mixed || kind == Kind::Loaded; }
};

// As console options are parsed and printed; Phases is made of them.
Result<void> parse_value(std::string_view text, Mix& mix);
void print_value(TextSink& out, Mix const& mix);

class Phases {
  public:
    static constexpr std::size_t max = 3;

    // One phase.
    constexpr Phases(Mix const& mix = {})
        : phases_{mix}
        , size_(1) {}

    // Those of a workload.
    static constexpr Phases load_and_run() {
        Phases phases(Mix{Mix::Kind::Load});
        phases.phases_[phases.size_++] = Mix{Mix::Kind::Run};
        return phases;
    }
    // Nothing was typed.
    [[nodiscard]] constexpr bool is_default() const { return is_default_; }

    // One or more.
    [[nodiscard]] constexpr std::span<Mix const> list() const { return {phases_.data(), size_}; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }

    // Errors: `mix` does not come after what is there.
    Result<void> append(Mix const& mix);

  private:
    std::array<Mix, max> phases_{};
    std::size_t size_ = 0;
    bool is_default_ = true;

    friend Result<void> parse_value(std::string_view text, Phases& phases);
};

// What kernel/console/options.hpp asks of an option's type: mixes with commas between them.
Result<void> parse_value(std::string_view text, Phases& phases);
void print_value(TextSink& out, Phases const& phases);
void describe_value(TextSink& out, Phases const& phases);
void complete_value(console::Candidates& candidates, Phases const& phases);

} // namespace mxk::bench
