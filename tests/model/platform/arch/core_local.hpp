// arch/core_local.hpp for the model checker: the first threads of it are cores, and what a core halts for is its
// attention word, as on both platforms. The others may live on a core, as on Linux (arch/linux/arch/sections.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "tests/model/atomic.hpp"

namespace mxk::test {

// std::mutex: the system's, which is taken to be right.
class ModelMutex {
  public:
    void lock() {
        for (SpinWait wait;; wait.turn()) {
            bool is_locked = false;
            if (is_locked_.compare_exchange_strong(is_locked, true, std::memory_order_acquire)) return;
        }
    }
    void unlock() { is_locked_.store(false, std::memory_order_release); }

  private:
    ModelAtomic<bool> is_locked_{false};
};

} // namespace mxk::test

namespace mxk::arch {

struct SectionReader;

struct CoreLocal {
    test::ModelAtomic<std::uint32_t> attention{0};
    test::ModelAtomic<std::uint32_t> ended_halts{0};
    CoreId id{};
    test::ModelMutex readers_mutex;
    test::ModelPlain<SectionReader*> first_reader{nullptr};
    test::ModelAtomic<std::uint32_t> reader_count{0};
    test::ModelAtomic<std::uint32_t> awaited_sections{0};
    SectionReader* core_reader = nullptr;
    test::ModelAtomic<std::uint64_t> nest_seen{0};
    void* heap = nullptr; // set by a use
};

// Thread 1 is core 0. In begin(), after ModelMemory::begin_run().
inline std::array<CoreLocal*, test::max_model_threads> model_cores{};
inline void make_model_cores(std::size_t count) {
    model_cores = {};
    for (std::size_t i = 0; i < count; ++i) {
        model_cores[i] = test::ModelMemory::make<CoreLocal>();
        model_cores[i]->id = core_id(i);
    }
}
inline CoreLocal* local_of(CoreId core) {
    return model_cores[index(core)];
}

// Null in a thread that is no core.
struct ThisCore {
    operator CoreLocal*() const { // NOLINT(*-explicit-*): as a pointer is used
        std::size_t const self = test::model_self();
        return self == 0 ? nullptr : model_cores[self - 1];
    }
    CoreLocal* operator->() const { return *this; }
};
inline constexpr ThisCore this_core{};

inline CoreLocal& core_local() {
    return *this_core.operator->();
}
inline bool runs_task() {
    return this_core != nullptr;
}
inline void* heap_of_task() {
    return this_core != nullptr ? this_core->heap : nullptr;
}
inline void* heap_of_core() {
    return heap_of_task();
}

} // namespace mxk::arch
