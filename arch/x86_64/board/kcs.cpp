#include "arch/x86_64/board/kcs.hpp"

namespace mxk::arch::kcs {
namespace {

// Bits of the status (section 9.4) and its state (9.7).
constexpr std::uint8_t output_full = 1 << 0;
constexpr std::uint8_t input_full = 1 << 1;
enum class State : std::uint8_t { Idle = 0, Read = 1, Write = 2, Error = 3 };

// Control codes (section 9.10).
constexpr std::uint8_t abort = 0x60;
constexpr std::uint8_t write_start = 0x61;
constexpr std::uint8_t write_end = 0x62;
constexpr std::uint8_t read_next = 0x68;

class Transfer {
  public:
    explicit Transfer(Access const& access)
        : access_(access) {}

    Result<void> send(std::span<std::uint8_t const> request) {
        if (status() == 0xff) return Error("nothing answers");
        MXK_TRY(command(write_start));
        for (std::size_t i = 0; i < request.size(); ++i) {
            bool const is_last = i + 1 == request.size();
            if (is_last) MXK_TRY(command(write_end));
            MXK_TRY(write_data(request[i], !is_last));
        }
        return {};
    }

    Result<std::size_t> receive(std::span<std::uint8_t> response) {
        constexpr std::size_t max_bytes = 300; // more than a message has; a controller that never ends is none
        for (std::size_t length = 0; length < max_bytes; ++length) {
            MXK_TRY(wait(input_full, 0));
            State const now = state();
            if (now == State::Idle) {
                MXK_TRY(wait(output_full, output_full));
                access_.read(access_.context, Register::Data); // says nothing
                return length < response.size() ? length : response.size();
            }
            if (now != State::Read)
                return Error::of("expected to read an answer, the controller is in state {}", raw(now));
            MXK_TRY(wait(output_full, output_full));
            std::uint8_t const byte = access_.read(access_.context, Register::Data);
            if (length < response.size()) response[length] = byte;
            access_.write(access_.context, Register::Data, read_next);
        }
        return Error("the answer does not end");
    }

    // After an error, so that the next one to ask finds it idle; whether that helps is not asked.
    void give_up() {
        access_.write(access_.context, Register::Status, abort);
        if (!wait(input_full, 0)) return;
        drop_output();
        access_.write(access_.context, Register::Data, 0);
        if (!wait(input_full, 0) || state() != State::Read || !wait(output_full, output_full)) return;
        drop_output();
        access_.write(access_.context, Register::Data, read_next);
        if (wait(input_full, 0) && wait(output_full, output_full)) drop_output();
    }

  private:
    static unsigned raw(State state) { return static_cast<unsigned>(state); }
    [[nodiscard]] std::uint8_t status() const { return access_.read(access_.context, Register::Status); }
    [[nodiscard]] State state() const { return static_cast<State>(status() >> 6); }
    void drop_output() {
        if ((status() & output_full) != 0) access_.read(access_.context, Register::Data);
    }

    Result<void> wait(std::uint8_t bits, std::uint8_t wanted) {
        constexpr std::uint64_t patience = 1'000'000'000; // ns
        std::uint64_t const start = access_.nanoseconds(access_.context);
        while ((status() & bits) != wanted) {
            if (access_.nanoseconds(access_.context) - start > patience)
                return Error::of("no answer for a second, its status is 0x{:x}", unsigned{status()});
        }
        return {};
    }

    Result<void> accepted(bool must_write) {
        MXK_TRY(wait(input_full, 0));
        if (must_write && state() != State::Write)
            return Error::of("expected to write a request, the controller is in state {}", raw(state()));
        drop_output();
        return {};
    }
    Result<void> command(std::uint8_t code) {
        MXK_TRY(wait(input_full, 0));
        drop_output();
        access_.write(access_.context, Register::Status, code);
        return accepted(true);
    }
    Result<void> write_data(std::uint8_t byte, bool goes_on) {
        access_.write(access_.context, Register::Data, byte);
        return goes_on ? accepted(true) : Result<void>();
    }

    Access const& access_;
};

Result<std::size_t> send_and_receive(Transfer& transfer, std::span<std::uint8_t const> request,
                                     std::span<std::uint8_t> response) {
    MXK_TRY(transfer.send(request));
    return transfer.receive(response);
}

} // namespace

Result<std::size_t> exchange(Access const& access, std::span<std::uint8_t const> request,
                             std::span<std::uint8_t> response) {
    Transfer transfer(access);
    auto length = send_and_receive(transfer, request, response);
    if (!length) {
        if (access.read(access.context, Register::Status) != 0xff) transfer.give_up();
        return length;
    }
    constexpr std::uint8_t response_bit = 1 << 2; // of the network function, above the two bits of the LUN
    bool const fits = length.value() >= 3 && response[0] == (request[0] | response_bit) && response[1] == request[1];
    if (!fits) return Error::of("an answer of {} bytes to something else", length.value());
    return length;
}

} // namespace mxk::arch::kcs
