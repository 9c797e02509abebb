// Calls between cores: each is done once, its caller sees what was done, and what it has called with is used by nobody
// afterwards; no core sleeps for ever that is called.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/remote_call.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

class RemoteCallUse {
  public:
    // Whom each thread calls, in one go. The first so many are cores, which serve until all have called.
    ProtocolUse use(std::string name, std::size_t cores, std::vector<std::vector<std::size_t>> const& targets,
                    std::size_t turns = 0, bool is_long = false) {
        ModelProgram program;
        program.begin = [this, cores, targets] {
            arch::make_model_cores(cores);
            std::vector<topology::Core> const places(cores);
            expect(remote_calls::create(places).ok(), "there is memory");
            left_ = ModelMemory::make<ModelAtomic<std::size_t>>(targets.size());
            for (auto& request : requests_) request = ModelMemory::make<Request>();
        };
        for (std::size_t i = 0; i < targets.size(); ++i)
            program.threads.emplace_back([this, i, cores, mine = targets[i]] {
                call(*requests_.at(i), mine);
                if (left_->fetch_sub(1, std::memory_order_relaxed) == 1)
                    for (std::size_t core = 0; core < cores; ++core)
                        if (core != i) arch::wake(core_id(core));
                if (i < cores) serve();
            });
        program.end = [cores] {
            for (std::size_t core = 0; core < cores; ++core) {
                remote_calls::Counts const counts = remote_calls::counts_of(core_id(core));
                WeakMemory::current().check(counts.called == counts.run, "a call is lost");
                note(counts.called);
                note(counts.notified);
            }
            note(model_warnings);
        };
        return {std::move(name), std::move(program), turns, is_long};
    }

  private:
    struct Request {
        ModelPlain<std::uint64_t> argument{0U};
        std::array<ModelPlain<std::uint64_t>, max_model_threads> results{}; // by core
    };

    void call(Request& request, std::vector<std::size_t> const& targets) {
        std::array<CoreId, 3> cores{};
        for (std::size_t i = 0; i < targets.size(); ++i) cores.at(i) = core_id(targets[i]);
        request.argument = 1;
        call_on_each(std::span(cores).first(targets.size()),
                     [&request] { request.results.at(index(arch::core_local().id)) += request.argument; });
        request.argument = 0;
        std::uint64_t done = 0;
        for (auto const& result : request.results) done += result;
        WeakMemory::current().check(done == targets.size(), "a call is not done, or twice");
    }
    // As a worker.
    void serve() {
        for (SpinWait wait; left_->load(std::memory_order_relaxed) != 0; wait.turn()) {
            arch::halt_until_attention();
            static_cast<void>(arch::take_attention());
            remote_calls::serve();
        }
    }

    ModelAtomic<std::size_t>* left_ = nullptr; // threads that have not called
    std::array<Request*, max_model_threads> requests_{};
};

constexpr char const* no_time = "about a warning: no time passes here";

TEST(Model, RemoteCalls) {
    RemoteCallUse use;
    Protocol("remote calls")
        .use(use.use("one calls", 2, {{}, {0}}))
        .use(use.use("a thread calls", 1, {{}, {0}}))
        .use(use.use("two call each other", 2, {{1}, {0}}, 1))
        .use(use.use("itself, too", 2, {{}, {0, 1}}))
        .use(use.use("more than at once", 2, {{}, {0, 0, 0}}))
        .use(use.use("two call one", 1, {{}, {0}, {0}}, 0, true))
        .check({"remote_call,"}, {{"remote_call, finish() condition 1: never", "a look that saves work"},
                                  {"remote_call, finish() condition 4*", no_time},
                                  {"remote_call, finish() condition 5: always", no_time},
                                  {"remote_call, start() condition 3: never", "notifies twice"}});
}

} // namespace
} // namespace mxk::test
