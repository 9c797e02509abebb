// What a command of the program mxk-mpi has: all ranks run it, with the same options, and rank 0 speaks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "base/json.hpp"
#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "main/mpi/mpi_transport.hpp"

namespace mxk::mpi {

// Standard output, of rank 0.
class Output final : public TextSink {
  public:
    explicit Output(bool is_heard)
        : is_heard_(is_heard) {}
    void write(std::string_view text) override {
        if (is_heard_) std::fwrite(text.data(), 1, text.size(), stdout);
    }
    void flush() const {
        if (is_heard_) std::fflush(stdout);
    }

  private:
    bool is_heard_;
};

struct Session {
    World& world;
    locks::MpiTransport& transport;
    Output out;
    Library library;

    [[nodiscard]] std::size_t nodes() const { return transport.topology().groups(locks::Level::Node); }
    // Collective: of all ranks together.
    [[nodiscard]] std::uint64_t sum(std::uint64_t own) const;
    // What a result was measured with.
    void describe(JsonWriter& json) const;
};

struct Command {
    std::string_view name;
    std::string_view summary;
    // Collective. False: what was to be shown does not hold, which has been said. An error is wrong usage.
    Result<bool> (*run)(Session& session, std::span<std::string_view const> arguments);
    void (*help)(TextSink& out);
};
MXK_REGISTRY(mxk_mpi_commands, Command, registered_commands)

} // namespace mxk::mpi
