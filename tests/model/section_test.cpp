// Protected sections of threads on Linux, which count without fences, and the epochs of a core that wait for them: what
// a section has found stays until it is over, and the core does not sleep for ever when the last one has ended. The
// same of A-RCU's nests, which somebody asks for.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "arch/attention.hpp"
#include "arch/nest.hpp"
#include "arch/sections.hpp"
#include "base/fence.hpp"
#include "base/spin_wait.hpp"
#include "tasks/rcu/core_epoch.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

// What is unlinked, by the number of the epoch that is waited for then.
class Found {
  public:
    void make() {
        for (auto& datum : data_) datum = ModelMemory::make<ModelPlain<std::uint32_t>>(1U);
        found_ = ModelMemory::make<ModelAtomic<ModelPlain<std::uint32_t>*>>(data_.front());
    }
    void use() {
        ModelPlain<std::uint32_t>* const found = found_->load(std::memory_order_relaxed);
        if (found != nullptr) note(*found);
        in_use_.at(WeakMemory::current().self()) = found;
    }
    // What use() has found.
    void use_again() const {
        if (ModelPlain<std::uint32_t>* const found = in_use_.at(WeakMemory::current().self())) note(*found);
    }
    // The next takes its place, or nothing does.
    void unlink(std::size_t number, bool is_last) {
        found_->store(is_last ? nullptr : data_.at(number + 1), std::memory_order_relaxed);
    }
    void give_back(std::size_t number) { *data_.at(number) = 0; } // races with a reader that still uses it

  private:
    std::array<ModelPlain<std::uint32_t>*, 3> data_{};
    ModelAtomic<ModelPlain<std::uint32_t>*>* found_ = nullptr;
    std::array<ModelPlain<std::uint32_t>*, max_model_threads> in_use_{}; // by thread
};

class SectionUse {
  public:
    struct Shape {
        std::size_t readers = 1;
        std::size_t sections = 1; // of each, one after the other
        std::size_t depth = 1;
        std::size_t epochs = 1;
        bool has_membarrier = true;
        bool comes = false;      // only now lives on the core
        std::size_t leavers = 0; // if any, the first ones end, and do not live there any more; the others do nothing
        bool stays_open = false; // the last section, when it ends
    };

    // Thread 1 is a core, on which the others live.
    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            model_has_membarrier = shape.has_membarrier;
            arch::make_model_cores(1);
            ModelThreadLocal<arch::SectionReader>::make_all();
            found_.make();
            epoch_ = ModelMemory::make<CoreEpoch>();
            for (std::size_t i = 0; i < shape.readers && !shape.comes; ++i) {
                AsModelThread const as(i + 2);
                arch::live_on(core_id(0), "a reader");
            }
        };
        program.threads.emplace_back([this, shape] {
            for (std::size_t i = 0; i < shape.epochs; ++i) {
                found_.unlink(i, i + 1 == shape.epochs);
                await_epoch();
                found_.give_back(i);
            }
        });
        for (std::size_t i = 0; i < shape.readers; ++i)
            program.threads.emplace_back([this, shape, i] {
                if (shape.leavers == 0 || i < shape.leavers) read(shape, i < shape.leavers);
            });
        program.end = [] {
            arch::CoreLocal& core = *arch::local_of(core_id(0));
            WeakMemory::current().check(core.awaited_sections.load() == 0, "a section is awaited that is over");
            note(core.reader_count.load());
            for (arch::SectionReader* reader = core.first_reader; reader != nullptr; reader = reader->next) {
                WeakMemory::current().check(!reader->is_awaited.load(), "a reader is awaited that is in no section");
                note(reader->depth.load());
            }
        };
        return {std::move(name), std::move(program)};
    }

  private:
    // As the worker does between tasks, and when it has none.
    void await_epoch() {
        epoch_->request();
        for (;;) {
            epoch_->try_to_advance(&arch::begin_section_epoch, &arch::are_sections_over);
            if (!epoch_->is_due()) return;
            arch::halt_until_attention();
            static_cast<void>(arch::take_attention());
        }
    }
    void read(Shape const& shape, bool leaves) {
        if (shape.comes) arch::live_on(core_id(0), "a reader");
        for (std::size_t i = 0; i < shape.sections; ++i) {
            for (std::size_t k = 0; k < shape.depth; ++k) arch::enter_section();
            found_.use();
            bool const is_left = !shape.stays_open || i + 1 < shape.sections;
            for (std::size_t k = 1; k < shape.depth; ++k) {
                arch::leave_section();
                found_.use_again();
            }
            if (is_left) arch::leave_section();
        }
        if (leaves) note(arch::leave_home());
    }

    Found found_;
    CoreEpoch* epoch_ = nullptr;
};

// A core that halts is quiescent unless threads live on it, which run while it does: a waiter for it looks, as begin()
// of grace_periods.cpp and detect() of a_rcu.cpp do.
class HaltedCoreUse {
  public:
    ProtocolUse use(std::string name, bool comes, bool leaves) {
        ModelProgram program;
        program.begin = [this, comes] {
            arch::make_model_cores(1);
            ModelThreadLocal<arch::SectionReader>::make_all();
            found_.make();
            AsModelThread const as(2);
            if (!comes) arch::live_on(core_id(0), "a reader");
        };
        program.threads.emplace_back([this] {
            found_.unlink(0, true);
            store_load_fence();
            bool const is_quiescent = !arch::threads_live_on(core_id(0));
            note(is_quiescent ? 1 : 0);
            if (is_quiescent) found_.give_back(0);
        });
        program.threads.emplace_back([this, comes, leaves] {
            if (comes) arch::live_on(core_id(0), "a reader");
            arch::enter_section();
            found_.use();
            arch::leave_section();
            if (leaves) note(arch::leave_home());
        });
        return {std::move(name), std::move(program)};
    }

  private:
    Found found_;
};

class NestUse {
  public:
    struct Shape {
        std::size_t readers = 1; // that live on the core
        bool core_reads = false; // its task
        std::size_t sections = 1;
        std::size_t depth = 1;
        bool has_membarrier = true;
        bool leaves = false;
        bool stays_open = false;
    };

    // Thread 1 is a core, on which the next ones live; the last thread asks.
    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            model_has_membarrier = shape.has_membarrier;
            arch::make_model_cores(1);
            ModelThreadLocal<arch::SectionReader>::make_all();
            found_.make();
            arch::nests::begin(0);
            for (std::size_t i = 0; i < shape.readers; ++i) {
                AsModelThread const as(i + 2);
                arch::live_on(core_id(0), "a reader");
            }
            AsModelThread const as(1);
            arch::nests::watch();
            if (!shape.core_reads) arch::nests::ignore();
        };
        program.threads.emplace_back([this, shape] {
            if (shape.core_reads) read(shape);
        });
        for (std::size_t i = 0; i < shape.readers; ++i)
            program.threads.emplace_back([this, shape] {
                read(shape);
                if (shape.leaves) note(arch::leave_home());
            });
        program.threads.emplace_back([this] {
            found_.unlink(0, true);
            arch::nests::begin(1);
            SpinWait wait;
            while (!arch::nests::has_acknowledged(core_id(0)))
                if (!arch::nests::ask(core_id(0))) wait.turn();
            found_.give_back(0);
        });
        return {std::move(name), std::move(program)};
    }

  private:
    void read(Shape const& shape) {
        for (std::size_t i = 0; i < shape.sections; ++i) {
            note(arch::is_in_nest() ? 1 : 0);
            for (std::size_t k = 0; k < shape.depth; ++k) arch::enter_nest();
            note(arch::is_in_nest() ? 1 : 0);
            found_.use();
            for (std::size_t k = 1; k < shape.depth; ++k) {
                arch::leave_nest();
                found_.use_again();
            }
            if (!shape.stays_open) arch::leave_nest();
        }
    }

    Found found_;
};

constexpr char const* stronger = "kept: another order beside it says the same; it costs nothing that is measured";
constexpr char const* shortcut = "a look that saves work";
constexpr char const* needless = "a fence, or a wake, that nobody needs";

TEST(Model, RcuSections) {
    SectionUse sections;
    HaltedCoreUse halted;
    NestUse nests;
    Protocol("protected sections")
        .use(sections.use("one reader", {}))
        .use(sections.use("without membarrier", {.has_membarrier = false}))
        .use(sections.use("two sections", {.sections = 2}))
        .use(sections.use("a nested one", {.depth = 2}))
        .use(sections.use("two epochs", {.sections = 2, .epochs = 2}))
        .use(sections.use("two readers", {.readers = 2}))
        .use(sections.use("one that comes", {.comes = true}))
        .use(sections.use("one that leaves", {.leavers = 1}))
        .use(sections.use("one that leaves with a section open", {.leavers = 1, .stays_open = true}))
        .use(sections.use("two, of which one leaves", {.readers = 2, .leavers = 1}))
        .use(halted.use("a halted core to which a reader comes", true, false))
        .use(halted.use("a halted core which a reader leaves", false, true))
        .use(nests.use("nests, one reader", {}))
        .use(nests.use("nests without membarrier", {.has_membarrier = false}))
        .use(nests.use("nests of the core's task", {.readers = 0, .core_reads = true}))
        .use(nests.use("the same without membarrier", {.readers = 0, .core_reads = true, .has_membarrier = false}))
        .use(nests.use("two nests", {.sections = 2}))
        .use(nests.use("a nest in a nest", {.depth = 2}))
        .use(nests.use("nests of both", {.core_reads = true}))
        .use(nests.use("nests of one that leaves", {.leaves = true}))
        .use(nests.use("one that leaves with a nest open", {.leaves = true, .stays_open = true}))
        .check({"sections,", "nest,"}, {{"sections, begin_section_epoch() condition 1: never", shortcut},
                                        {"sections, begin_section_epoch() condition 3: never", shortcut},
                                        {"sections, begin_section_epoch() condition 4: never", shortcut},
                                        {"sections, leave_section() condition 2: always", shortcut},
                                        {"sections, count_off() condition: always", needless},
                                        {"sections, enter_section() condition: always", needless},
                                        {"sections, leave_section() condition 1: always", needless},
                                        {"sections, fence_in_all_threads() condition: always", needless},
                                        {"nest, enter_nest() condition: always", needless},
                                        {"nest, leave_nest() fence: left out", stronger},
                                        {"sections, ask() store: without release", stronger},
                                        {"sections, begin() store: without release", stronger},
                                        {"sections, begin_section_epoch() add 2: without acquire", stronger},
                                        {"sections, begin_section_epoch() add 2: without release", stronger},
                                        {"sections, begin_section_epoch() store: without release", stronger},
                                        {"sections, begin_section_epoch() swap: without acquire", stronger},
                                        {"sections, begin_section_epoch() swap: without release", stronger},
                                        {"sections, count_off() add: without acquire", stronger},
                                        {"sections, has_acknowledged() load 1: without acquire", stronger},
                                        {"sections, leave_awaited_section() swap: without acquire", stronger},
                                        {"sections, leave_awaited_section() swap: without release", stronger},
                                        {"sections, leave_home() swap 3: without acquire", stronger},
                                        {"sections, leave_home() swap 3: without release", stronger},
                                        {"sections, leave_section() fence 1: left out", stronger},
                                        {"sections, live_on() add: relaxed", stronger},
                                        {"sections, live_on() add: without seq_cst", stronger},
                                        {"sections, threads_live_on() load: without seq_cst", stronger},
                                        {"sections, leave_home() condition 2: always", "who leaves is in the list"}});
}

} // namespace
} // namespace mxk::test
