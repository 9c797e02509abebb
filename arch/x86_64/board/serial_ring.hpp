// Bytes on their way from the receive interrupt (the boot core's, interrupts off) to the console (the same core,
// interrupted at any point): one writer, one reader. Full: the newest byte is dropped, as a UART does, and counted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "arch/terminal.hpp"

namespace mxk::arch::serial {

struct ReceiveRing {
    static constexpr std::uint32_t capacity = terminal_input_room;

    void put(char byte) {
        std::uint32_t const at = written.load(std::memory_order_relaxed);
        // acquire: pairs with the release in take(): the slot has been read.
        if (at - taken.load(std::memory_order_acquire) == capacity) return count_lost(1);
        bytes[at % capacity] = byte;
        written.store(at + 1, std::memory_order_release); // pairs with the acquire in take()
    }
    std::optional<char> take() {
        std::uint32_t const at = taken.load(std::memory_order_relaxed);
        if (written.load(std::memory_order_acquire) == at) return std::nullopt;
        char const byte = bytes[at % capacity];
        taken.store(at + 1, std::memory_order_release);
        return byte;
    }

    // Bytes that nobody will ever read.
    void count_lost(std::uint32_t count) { lost.fetch_add(count, std::memory_order_relaxed); }
    // How many since the last call.
    std::uint32_t take_lost() {
        // relaxed, both: a number alone; only read where there is none, which is nearly always
        return lost.load(std::memory_order_relaxed) == 0 ? 0 : lost.exchange(0, std::memory_order_relaxed);
    }

    std::array<char, capacity> bytes{};
    std::atomic<std::uint32_t> lost{0};
    std::atomic<std::uint32_t> written{0};
    std::atomic<std::uint32_t> taken{0};
    std::atomic<bool> interrupt_requested{false};
};

extern constinit ReceiveRing received;

} // namespace mxk::arch::serial
