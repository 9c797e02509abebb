// A management controller's watchdog, by messages to a made-up controller that is strict about the order of bytes.
#include "arch/x86_64/board/bmc_watchdog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mxk::arch::bmc {
namespace {

// The controller's side of IPMI 2.0 section 9.12, and the timer's two commands.
struct Controller {
    bool is_there = true;
    bool answers = true; // else it takes nothing
    bool obeys = true;   // else the timer goes on
    std::uint8_t completion = 0;
    std::size_t answer_bytes = 11; // of Get Watchdog Timer
    bool is_broken = false;        // it goes to the error state at the first byte
    std::uint8_t timer_use = 0x44; // runs, for the system's start
    std::uint8_t actions = 0x01;
    std::uint16_t countdown = 300; // tenths of a second, until it is stopped
    std::vector<std::uint8_t> set_to{};
    std::vector<std::string> faults{};
    bool was_aborted = false;

    std::uint64_t time = 0;
    std::uint8_t state = 0;
    bool has_output = false;
    std::uint8_t output = 0;
    bool ends = false; // the next byte of data is the last one
    std::vector<std::uint8_t> request{};
    std::vector<std::uint8_t> response{};
    std::size_t sent = 0;

    std::uint8_t read(kcs::Register which) {
        if (!is_there) return 0xff;
        if (which == kcs::Register::Status)
            return static_cast<std::uint8_t>(state << 6 | (answers ? 0 : 2) | (has_output ? 1 : 0));
        if (!has_output) faults.emplace_back("read without output");
        has_output = false;
        return output;
    }
    void offer(std::uint8_t byte) {
        if (has_output) faults.emplace_back("output not read");
        output = byte;
        has_output = true;
    }
    void write(kcs::Register which, std::uint8_t value) {
        if (!answers) return;
        if (which == kcs::Register::Status) return obey(value);
        if (state == 2) return take(value);
        if (state == 1 && value == 0x68) return give();
        if (was_aborted && state == 0) { // the second part of an abort: a byte of error status
            state = 1;
            response = {0};
            sent = 0;
            return give();
        }
        faults.emplace_back("data in state " + std::to_string(state));
    }
    void obey(std::uint8_t code) {
        if (code == 0x60) {
            was_aborted = true;
            state = 0;
        } else if (code == 0x61) {
            request.clear();
            ends = false;
            state = is_broken ? 3 : 2;
        } else if (code == 0x62 && state == 2) {
            ends = true;
        } else {
            faults.emplace_back("command " + std::to_string(code));
        }
        offer(0); // a dummy, which is to be dropped
    }
    void take(std::uint8_t byte) {
        request.push_back(byte);
        if (!ends) return offer(0);
        answer();
        state = 1;
        sent = 0;
        has_output = false;
        give();
    }
    void give() {
        if (sent < response.size()) return offer(response[sent++]);
        state = 0;
        offer(0);
    }
    void answer() {
        response = {static_cast<std::uint8_t>(request[0] | 4), request[1], completion};
        if (completion != 0) return;
        if (request[1] == 0x24) {
            set_to.assign(request.begin() + 2, request.end());
            if (obeys) timer_use = set_to[0];
        } else {
            std::uint16_t const initial = 3000;
            std::uint16_t const present = set_to.empty() || !obeys ? countdown : 0;
            for (int const byte :
                 {+timer_use, +actions, 0, 0, initial & 0xff, initial >> 8, present & 0xff, present >> 8})
                response.push_back(static_cast<std::uint8_t>(byte));
            response.resize(answer_bytes);
        }
    }
    kcs::Access access() {
        return {this, [](void* it, kcs::Register which) { return static_cast<Controller*>(it)->read(which); },
                [](void* it, kcs::Register which, std::uint8_t value) {
                    static_cast<Controller*>(it)->write(which, value);
                },
                [](void* it) { return static_cast<Controller*>(it)->time += 100'000'000; }};
    }
};

std::string error_of(Controller controller) {
    auto const result = stop_watchdog(controller.access());
    return result ? std::string("none") : std::string(result.error().message());
}

TEST(BmcWatchdog, one_that_runs_is_stopped_and_loses_its_action) {
    Controller controller;
    auto const result = stop_watchdog(controller.access());
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result.value().ran && result.value().stopped);
    EXPECT_EQ(result.value().tenths, 300U) << "the present countdown";
    EXPECT_EQ(action_name(result.value().action), "a reset");
    EXPECT_EQ(controller.set_to, (std::vector<std::uint8_t>{0x04, 0, 0, 0, 0xb8, 0x0b}));
    EXPECT_EQ(controller.faults, std::vector<std::string>{});
    EXPECT_EQ(controller.state, 0) << "idle";
}

TEST(BmcWatchdog, one_that_does_not_run_is_left_alone) {
    Controller controller;
    controller.timer_use = 0x04;
    for (std::uint16_t const countdown : {std::uint16_t{0}, std::uint16_t{3000}}) {
        controller.countdown = countdown;
        auto const result = stop_watchdog(controller.access());
        ASSERT_TRUE(result);
        EXPECT_FALSE(result.value().ran);
        EXPECT_TRUE(controller.set_to.empty());
    }
}

TEST(BmcWatchdog, one_whose_countdown_has_begun_runs) {
    Controller controller;
    controller.timer_use = 0x04;
    auto const result = stop_watchdog(controller.access());
    ASSERT_TRUE(result);
    EXPECT_TRUE(result.value().ran && result.value().stopped);
}

TEST(BmcWatchdog, one_that_goes_on_is_told) {
    Controller controller;
    controller.obeys = false;
    auto const result = stop_watchdog(controller.access());
    ASSERT_TRUE(result);
    EXPECT_TRUE(result.value().ran);
    EXPECT_FALSE(result.value().stopped);
}

TEST(BmcWatchdog, a_controller_that_does_not_answer_is_an_error) {
    EXPECT_EQ(error_of({.is_there = false}), "nothing answers");
    EXPECT_EQ(error_of({.answers = false}), "no answer for a second, its status is 0x2");
    EXPECT_EQ(error_of({.completion = 0xc1}), "command 0x25 ended with code 0xc1");
    EXPECT_EQ(error_of({.answer_bytes = 10}), "expected an answer of 11 bytes, got 10");
    EXPECT_EQ(error_of({.answer_bytes = 2}), "an answer of 2 bytes to something else");
    EXPECT_EQ(error_of({.answer_bytes = 1000}), "the answer does not end");
    Controller broken{.is_broken = true};
    auto const result = stop_watchdog(broken.access());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message(), "expected to write a request, the controller is in state 3");
    EXPECT_TRUE(broken.was_aborted);
    EXPECT_EQ(broken.state, 0) << "idle for the next one";
}

} // namespace
} // namespace mxk::arch::bmc
