// Emulated cores for tests of the mapping database: threads that are cores, each with its emulated TLB, without
// workers. A core that waits serves others, and one that has ended does until all have.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "arch/attention.hpp"
#include "arch/linux/emulated_tlb.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/remote_call.hpp"
#include "spaces/access.hpp"
#include "spaces/mapping_database.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {

class MappingTest : public MemoryTest {
  protected:
    // How a core is asked.
    enum class Delivery : std::uint8_t {
        Calls, // as in the Linux program
        Bits,  // as on metal; the cores look instead of being interrupted
    };

    // `threads`: of each physical core; the second ones stand behind all first ones.
    void make_cores(std::size_t count, Delivery delivery = Delivery::Calls,
                    std::vector<std::size_t> const& bytes_per_node = {64 * MiB}, std::size_t threads = 1) {
        configure(bytes_per_node);
        cores = count;
        std::vector<topology::Core> list;
        for (std::size_t i = 0; i < cores; ++i) {
            list.push_back({core_id(i), ApicId{static_cast<std::uint32_t>(i)}, node_id(0), 0});
            list.back().levels.physical_core = static_cast<std::uint32_t>(i % (cores / threads));
        }
        ASSERT_TRUE(remote_calls::create(list).ok());
        arch::reserve_cores(cores);
        topology::Topology machine;
        machine.cores = list;
        auto made = mapping::Coherence::make_cores(machine);
        ASSERT_TRUE(made.ok());
        auto const ring = delivery == Delivery::Bits ? [](CoreId) {} : mapping::Coherence::Ring{nullptr};
        coherence = std::make_unique<mapping::Coherence>(std::move(made).value(), ring);
    }
    void TearDown() override {
        coherence.reset();
        remote_calls::forget();
        arch::reserve_cores(0);
        arch::EmulatedTlb::abilities() = {.tags = true, .tagged_pages = true, .gigabyte_pages = true};
        MemoryTest::TearDown();
    }

    // body(i) on each core.
    template <typename Body> void on_all(Body body) {
        std::vector<arch::CoreLocal> locals(cores);
        std::atomic<std::size_t> ready{0};
        std::atomic<std::size_t> left{cores};
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < cores; ++i) {
            threads.emplace_back([&, i] {
                arch::adopt_core(locals[i], core_id(i));
                ready.fetch_add(1);
                while (ready.load() < cores) std::this_thread::yield();
                body(i);
                for (left.fetch_sub(1); left.load() > 0; std::this_thread::yield()) coherence->wait_turn();
                coherence->wait_turn();
                arch::this_core = nullptr;
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    // All wait here for each other, and serve; each of them as often as the others.
    void meet() {
        std::size_t const mine = met.fetch_add(1) / cores;
        while (met.load() / cores <= mine) {
            coherence->wait_turn();
            std::this_thread::yield();
        }
    }

    std::size_t cores = 0;
    std::unique_ptr<mapping::Coherence> coherence;
    std::atomic<std::size_t> met{0};
};

// Memory of the host that tests map, whose words the test knows: word 0 of page i is i.
class MappedMemory {
  public:
    explicit MappedMemory(std::size_t pages, mapping::PageSize size = mapping::PageSize::Small)
        : memory_(memory::allocate(pages * bytes(size), bytes(size), node_id(0)).value()) {
        for (std::size_t i = 0; i < pages; ++i) word(i, size).store(i);
    }
    ~MappedMemory() { memory::free(memory_); }
    MappedMemory(MappedMemory const&) = delete;
    MappedMemory& operator=(MappedMemory const&) = delete;

    [[nodiscard]] PhysicalAddress start() const { return arch::translations::address_of(memory_.address); }
    [[nodiscard]] std::atomic<std::uint64_t>& word(std::size_t page,
                                                   mapping::PageSize size = mapping::PageSize::Small) const {
        return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.address + page * bytes(size));
    }

  private:
    memory::Block memory_;
};

} // namespace mxk::test
