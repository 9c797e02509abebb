// DRAM behind simulated channels: rows, banks, refreshes and changes of direction, each alone and as it limits streams.
#include "tools/simulator/model/dram_channel.hpp"

#include "tests/unit/sequential/simulator/memory_streams.hpp"

namespace mxk::simulator {
namespace {

/// The made-up machine with one channel of 4 bytes a cycle, a line in 16, and enough misses under way to saturate it.
Keys with_dram(Keys const& changes) {
    Keys keys = {{"memory.channels", "1"}, {"core.line_fill_buffers", "16"}, {"memory.banks", "4"}};
    for (auto const& [key, value] : changes) keys[key] = value;
    return keys;
}

/// Delays of a channel in cycles; its rows have 128 lines, rows 0 and 4 are in one bank.
class Channel {
  public:
    explicit Channel(Keys const& changes)
        : machine_(made_up_machine(with_dram(changes)))
        , channel_(machine_, 0) {}

    double read(std::uint64_t at, std::uint64_t row, std::uint64_t line = 0) {
        return in_cycles(channel_.read(cycles(at), row * 128 + line));
    }
    void write(std::uint64_t at, std::uint64_t row) { channel_.write(cycles(at), row * 128); }
    double idle_delay() const { return in_cycles(channel_.idle_delay()); }

  private:
    Machine machine_;
    DramChannel channel_;
};

Keys const rows = {{"memory.activate_ns", "10"}, {"memory.row_open_ns", "200"}}; // 20 and 400 cycles

TEST(Dram, has_an_open_row_in_each_bank) {
    Channel channel(rows);
    EXPECT_EQ(channel.idle_delay(), 20);
    EXPECT_EQ(channel.read(6400, 0), 20);       // it was closed
    EXPECT_EQ(channel.read(6500, 0, 1), 0);     // a hit
    EXPECT_EQ(channel.read(6600, 1), 20);       // another bank
    EXPECT_EQ(channel.read(6700, 4), 40);       // a conflict: row 0 is closed first
    EXPECT_EQ(channel.read(6800, 0), 40);       // and row 4 now
    EXPECT_EQ(channel.read(6800 + 440, 0), 20); // closed 400 cycles after its last use
    EXPECT_EQ(channel.read(12800, 8), 20);      // nobody used the bank
    EXPECT_EQ(channel.read(12805, 8, 1), 15);   // the row is being opened
    EXPECT_EQ(channel.read(12600, 8, 2), 0);    // a core that is behind: the row was opened for it
}

TEST(Dram, closes_each_row_at_once_if_it_is_told_to) {
    Channel channel(Keys{{"memory.activate_ns", "10"}});
    for (std::uint64_t const at : {6400U, 6500U, 6600U}) EXPECT_EQ(channel.read(at, 0), 20);
}

TEST(Dram, waits_for_a_busy_bank_only_with_what_needs_it) {
    Channel channel(Keys{{"memory.activate_ns", "10"}, {"memory.bank_cycle_ns", "64"}}); // 128 cycles
    EXPECT_EQ(channel.read(6400, 0), 20);
    EXPECT_EQ(channel.read(6400, 4), 128 + 20);
    EXPECT_EQ(channel.read(6400, 8), 256 + 20);
    EXPECT_EQ(channel.read(6464, 1), 20); // another bank: the bus is free
    EXPECT_EQ(channel.read(3200, 4), 20); // booked later, for earlier
}

TEST(Dram, stands_still_while_it_refreshes) {
    Channel channel(Keys{{"memory.refresh_interval_ns", "4000"}, {"memory.refresh_ns", "400"}}); // 8000 and 800 cycles
    EXPECT_EQ(channel.read(16000, 0), 800);
    EXPECT_EQ(channel.read(16700, 1), 100 + 16); // behind the first one
    EXPECT_EQ(channel.read(16800, 2), 32);
    EXPECT_EQ(channel.read(23000, 3), 0);
    EXPECT_EQ(channel.read(8400, 0), 400); // booked later, for earlier
}

TEST(Dram, closes_rows_to_refresh) {
    Keys keys = rows;
    keys["memory.refresh_interval_ns"] = "4000";
    keys["memory.refresh_ns"] = "10";
    Channel channel(keys);
    EXPECT_EQ(channel.read(15800, 0), 20);
    EXPECT_EQ(channel.read(15900, 0), 0);
    EXPECT_EQ(channel.read(16100, 0), 20);
}

TEST(Dram, changes_to_writes_when_enough_of_them_wait) {
    Channel channel(Keys{{"memory.turn_round_ns", "16"}, {"memory.write_batch", "4"}}); // 32 cycles
    channel.read(3200, 0);
    for (std::uint64_t row = 0; row != 3; ++row) channel.write(6400, row);
    EXPECT_EQ(channel.read(6400, 0), 0);
    channel.write(6400, 3);
    EXPECT_EQ(channel.read(6400, 0), 16 + 4 * 16 + 32); // behind the other read, four writes and the change
    Channel writes(Keys{{"memory.turn_round_ns", "16"}, {"memory.write_batch", "4"}});
    for (std::uint64_t row = 0; row != 8; ++row) writes.write(6400, row);
    EXPECT_EQ(writes.read(6400, 0), 8 * 16); // nothing but writes: no change
}

TEST(Dram, is_a_bandwidth_where_all_is_switched_off) {
    Keys full = rows;
    full["memory.bank_cycle_ns"] = full["memory.refresh_ns"] = full["memory.turn_round_ns"] = "50";
    full["memory.burst_gap_ns"] = "5";
    full["memory.banks"] = "0";
    for (Keys const& keys : {Keys{}, full}) {
        Machine const machine = made_up_machine(with_dram(keys));
        DramChannel channel(machine, 0);
        EXPECT_EQ(channel.idle_delay(), 0U);
        Bandwidth bandwidth(4);
        std::uint64_t random = 1;
        for (int step = 0; step != 10000; ++step) {
            random = random * 6364136223846793005 + 1442695040888963407;
            Time const at = cycles(100000) + static_cast<Time>(step) * 1000 + (random >> 40) % cycles(1000);
            if (step % 3 == 0) {
                bandwidth.book(at, Machine::line_bytes);
                channel.write(at, random >> 30);
            } else {
                EXPECT_EQ(channel.read(at, random >> 30), bandwidth.book(at, Machine::line_bytes));
            }
        }
        EXPECT_EQ(channel.bytes(), bandwidth.bytes());
    }
}

TEST(Dram, adds_refreshes_alone_to_the_latency_of_random_loads) {
    Keys keys = with_dram(rows);
    keys["memory.banks"] = "64";
    keys["memory.bank_cycle_ns"] = "50";
    keys["memory.refresh_ns"] = "400";
    Simulation simulation(keys);
    std::vector<std::uint64_t> const addresses = scattered_lines(0, std::uint64_t{8} << 20);
    for (std::uint64_t const address : addresses) simulation.load(0, address, true);
    // Of each 8000 cycles one load waits for the 800 of a refresh, less half a latency that it began before that.
    double const latency = in_cycles(simulation.machine.memory_latency[0]);
    double const loads = (8000 - 800 + latency / 2) / latency;
    expect_about(simulation.cycles_of(0) / static_cast<double>(addresses.size()), 8000 / loads, "in the mean");
}

double reads(Keys const& changes, Order order, unsigned cores = 4) {
    return stream_bytes_per_cycle(with_dram(changes), cores, 0, order, What::Reads);
}

TEST(Dram, carries_in_sequence_what_refreshes_and_gaps_leave) {
    expect_about(reads({}, Order::Sequential), 4, "all");
    expect_about(reads({{"memory.refresh_ns", "400"}}, Order::Sequential), 4 * 0.9, "without a tenth");
    expect_about(reads({{"memory.burst_gap_ns", "4"}}, Order::Sequential), 64.0 / 24, "with 8 cycles more for a line");
}

TEST(Dram, carries_in_random_order_what_its_banks_do) {
    Keys keys = {{"memory.banks", "2"}, {"memory.bank_cycle_ns", "40"}}; // 80 cycles
    expect_about(reads(keys, Order::Random), 2 * 64 / 80.0, "two banks");
    keys["memory.banks"] = "64";
    expect_about(reads(keys, Order::Random), 4, "many banks");
}

TEST(Dram, reads_an_open_row_as_fast_as_the_bus) {
    Keys keys = {{"memory.bank_cycle_ns", "40"}, {"memory.row_bytes", "65536"}};
    expect_about(reads(keys, Order::Sequential, 1), 64 / 80.0, "a bank that opens the row for each line");
    keys["memory.row_open_ns"] = "1000";
    expect_about(reads(keys, Order::Sequential, 1), 4, "the row stays open");
}

TEST(Dram, loses_time_between_reads_and_writes) {
    Keys keys = with_dram({{"memory.turn_round_ns", "32"}, {"memory.write_batch", "8"}}); // 64 cycles
    auto const both = [&] { return stream_bytes_per_cycle(keys, 4, 0, Order::Sequential, What::ReadsAndWrites); };
    expect_about(both(), 16 * 64 / (16 * 16 + 64.0), "a change for eight reads and eight writes");
    keys["memory.write_batch"] = "32";
    expect_about(both(), 64 * 64 / (64 * 16 + 64.0), "a change for 32 of each");
    keys["memory.turn_round_ns"] = "0";
    expect_about(both(), 4, "changes that take no time");
}

TEST(Bandwidth, makes_what_is_longer_than_it_remembers_wait_for_all_of_that) {
    Bandwidth channel(1, 4); // of four times 64 cycles
    for (int line = 0; line != 4; ++line) channel.book(0, 64);
    EXPECT_EQ(channel.book(0, 64), cycles(192));
    EXPECT_EQ(channel.book(0, 64), cycles(192));
}

} // namespace
} // namespace mxk::simulator
