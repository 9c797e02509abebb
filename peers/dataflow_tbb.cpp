// oneTBB's flow graph with the graphs of `bench dataflow`: a node for each box, each of which works on one message at a
// time (serial), as boxes do; queues between them; and a limit on how many envelopes are under way, as many as there is
// room for at the inputs of a branch. Messages are pointers to rows that count who has them. Memory comes from TBB's
// scalable allocator. The threads stay on the cores' processors, one for each. Envelopes may overtake each other at the
// limiter, which boxes' do not; no sequencer_node, which would cost more, puts them in order again.
#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <atomic>
#include <exception>
#include <memory>
#include <vector>

#include "bench/dataflow/dataflow_peer.hpp"
#include "bench/dataflow/row_work.hpp"
#include "kernel/clock.hpp"
#include "peers/tbb_pinning.hpp"

namespace mxk::bench {
namespace {

namespace flow = tbb::flow;

// Rows of an envelope, behind this head. As our columns, they go when the last one lets go.
struct Message {
    std::uint64_t sequence;
    std::uint32_t rows;
    std::uint32_t users;
    std::atomic<std::uint32_t> left; // of these

    using Allocator = tbb::cache_aligned_allocator<std::byte>;

    static std::size_t bytes(std::uint32_t rows) { return cache_line_bytes + rows * sizeof(std::uint64_t); }
    static Message* create(std::uint64_t sequence, std::uint32_t rows, std::uint32_t users) {
        auto* const place = Allocator().allocate(bytes(rows));
        auto* const message = new (place) Message{.sequence = sequence, .rows = rows, .users = users, .left = users};
        return message;
    }
    void let_go() {
        if (users != 1 && left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        Allocator().deallocate(reinterpret_cast<std::byte*>(this), bytes(rows));
    }
    [[nodiscard]] std::uint64_t* values() { return reinterpret_cast<std::uint64_t*>(this + 1); }
};
static_assert(sizeof(Message) <= cache_line_bytes);

// The graph of one request.
class FlowGraph {
    using Stage = flow::function_node<Message*, Message*>;
    struct Sum {
        Message* sums = nullptr;
        std::uint32_t branches = 0;
    };

  public:
    explicit FlowGraph(GraphShape const& shape)
        : shape_(shape)
        , source_(graph_, [this](tbb::flow_control& control) { return produce(control); })
        , limit_(graph_, std::size_t{shape.capacity} * (shape.stages + 1))
        , sink_(graph_, flow::serial, [this](Message* message) { return receive(message); })
        , work_(shape.branches * shape.stages + 3)
        , sums_(shape.branches > 1 ? shape.envelopes : 0) {
        flow::make_edge(source_, limit_);
        flow::make_edge(sink_, limit_.decrementer());
        if (shape.branches > 1)
            join_ = std::make_unique<flow::multifunction_node<Message*, std::tuple<Message*>>>(
                graph_, flow::serial, [this](Message* message, auto& ports) { join(message, std::get<0>(ports)); });
        for (std::uint32_t branch = 0; branch < shape.branches; ++branch) add_branch(branch);
        if (join_) flow::make_edge(flow::output_port<0>(*join_), sink_);
    }

    GraphResult run() {
        done_.start = clock::timestamp();
        source_.activate();
        graph_.wait_for_all();
        done_.end = clock::timestamp();
        for (std::size_t box = 0; box < work_.size(); ++box)
            done_.add_work(work_[box], box < shape_.stages || box >= stages_.size());
        return done_;
    }

  private:
    // `box`: which of them. As GraphBox::work().
    template <typename Function> void timed(std::size_t box, Function function) {
        if (!shape_.is_timed) return function();
        Cycles const start = clock::timestamp();
        function();
        work_[box] = work_[box] + (clock::timestamp() - start);
    }

    void add_branch(std::uint32_t branch) {
        flow::sender<Message*>* last = &limit_;
        for (std::uint32_t stage = 0; stage < shape_.stages; ++stage) {
            std::size_t const box = stages_.size();
            auto const work = shape_.work_of(branch, stage);
            stages_.push_back(std::make_unique<Stage>(graph_, flow::serial, [this, box, work](Message* in) {
                Message* const out = Message::create(in->sequence, in->rows, 1);
                timed(box, [&] { work_rows(in->values(), out->values(), in->rows, work); });
                in->let_go();
                return out;
            }));
            flow::make_edge(*last, *stages_.back());
            last = stages_.back().get();
        }
        join_ ? flow::make_edge(*last, *join_) : flow::make_edge(*last, sink_);
    }

    Message* produce(tbb::flow_control& control) {
        if (produced_ == shape_.envelopes) {
            control.stop();
            return nullptr;
        }
        Message* const message = Message::create(produced_, shape_.rows, shape_.branches);
        timed(work_.size() - 1, [&] { make_rows(produced_ * shape_.rows, message->values(), shape_.rows); });
        ++produced_;
        return message;
    }

    template <typename Port> void join(Message* message, Port& port) {
        Sum& sum = sums_[message->sequence];
        timed(work_.size() - 2, [&] {
            if (sum.sums == nullptr) {
                sum.sums = Message::create(message->sequence, message->rows, 1);
                work_rows(message->values(), sum.sums->values(), message->rows, 0);
            } else {
                add_rows(message->values(), sum.sums->values(), message->rows);
            }
        });
        message->let_go();
        if (++sum.branches != shape_.branches) return;
        Message* const complete = sum.sums;
        sum = {};
        port.try_put(complete);
    }

    flow::continue_msg receive(Message* message) {
        timed(work_.size() - 3, [&] { done_.check_sum += sum_rows(message->values(), message->rows); });
        done_.rows += message->rows;
        message->let_go();
        return {};
    }

    GraphShape const& shape_;
    GraphResult done_;
    flow::graph graph_;
    flow::input_node<Message*> source_;
    flow::limiter_node<Message*, flow::continue_msg> limit_;
    std::vector<std::unique_ptr<Stage>> stages_;
    std::unique_ptr<flow::multifunction_node<Message*, std::tuple<Message*>>> join_;
    flow::function_node<Message*, flow::continue_msg> sink_;
    std::vector<Cycles> work_; // of each box, the last three: sink, join, source
    std::vector<Sum> sums_;    // by the number of the envelope
    std::uint64_t produced_ = 0;
};

Result<void> run_flow_graph(GraphShape const& shape, std::span<CoreId const> cores, std::span<GraphResult> results) {
    bool is_pinned = false;
    try {
        run_pinned(cores[0], [&] {
            tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, cores.size());
            tbb::task_arena arena(static_cast<int>(cores.size()), 1);
            SlotPinning const pinning(arena, {cores.begin(), cores.end()});
            arena.execute([&] {
                FlowGraph(shape).run();
                for (GraphResult& result : results) result = FlowGraph(shape).run();
            });
            is_pinned = pinning.held();
        });
    } catch (std::exception const& failure) {
        return Error(failure.what());
    }
    if (!is_pinned) return Error("a thread could not stay on its core's processor");
    return {};
}

constexpr DataflowPeer tbb_flow_graph{
    .name = "tbb-flow-graph",
    .print_library = [](TextSink& out) { format(out, "oneTBB {}", std::string_view(TBB_runtime_version())); },
    .run = &run_flow_graph};
MXK_REGISTER(mxk_dataflow_peers, DataflowPeer, tbb_flow_graph);

} // namespace
} // namespace mxk::bench
