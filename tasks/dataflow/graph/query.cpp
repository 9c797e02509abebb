#include "tasks/dataflow/graph/query.hpp"

#include <algorithm>
#include <utility>

#include "tasks/dataflow/graph/graph_memory.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

// One block: this head, the boxes' addresses, the edges' addresses by their receivers and inputs, the same by their
// senders, and the edges.
struct Query::Parts {
    std::size_t bytes;
    std::size_t boxes; // made so far
    std::size_t edges;
    std::span<Box*> box;
    std::span<Edge*> inputs;
    std::span<Edge*> outputs;
    Edge* edge;

    static Parts* create(std::size_t boxes, std::size_t edges) {
        std::size_t const head = sizeof(Parts) + boxes * sizeof(Box*) + 2 * edges * sizeof(Edge*);
        std::size_t const start = (head + alignof(Edge) - 1) / alignof(Edge) * alignof(Edge);
        std::size_t const bytes = start + edges * sizeof(Edge);
        auto* const place = static_cast<std::byte*>(heap::allocate(bytes, cache_line_bytes));
        if (place == nullptr) return nullptr;
        auto* const addresses = reinterpret_cast<Box**>(place + sizeof(Parts));
        auto* const edge_addresses = reinterpret_cast<Edge**>(addresses + boxes);
        std::fill_n(edge_addresses, 2 * edges, nullptr);
        return new (place) Parts{.bytes = bytes,
                                 .boxes = 0,
                                 .edges = 0,
                                 .box = {addresses, boxes},
                                 .inputs = {edge_addresses, edges},
                                 .outputs = {edge_addresses + edges, edges},
                                 .edge = reinterpret_cast<Edge*>(place + start)};
    }
};

Query::~Query() {
    if (!is_submitted() || is_over()) return;
    cancel();
    Request::wait();
}

Query::State Query::state() const {
    if (!is_submitted()) return State::New;
    return is_over() ? end_state_ : State::Running;
}

Result<void> Query::result() const {
    switch (state()) {
    case State::New: return Error("expected a query that was submitted");
    case State::Running: return Error("expected a query that has ended, got one that runs");
    case State::Done: return {};
    case State::Failed:
    case State::Cancelled: break;
    }
    return error_;
}

// Behind its head, on a line of its own.
void* Query::find_shared(void const* key, std::size_t bytes, bool& is_new) {
    for (Shared* at = shared_; at != nullptr; at = at->next)
        if (at->key == key) return reinterpret_cast<std::byte*>(at) + cache_line_bytes;
    std::size_t const all = cache_line_bytes + bytes;
    auto* const place = static_cast<std::byte*>(heap::allocate(all, cache_line_bytes));
    if (place == nullptr) return nullptr;
    shared_ = new (place) Shared{.next = shared_, .key = key, .bytes = all};
    is_new = true;
    return place + cache_line_bytes;
}

void Query::end_early(Error const& error, State as) {
    if (!is_failing_.exchange(true, std::memory_order_acq_rel)) {
        error_ = error;
        end_state_ = as;
    }
    cancel();
}

void Query::build(CoreScheduler& here, Request& request) {
    auto& self = static_cast<Query&>(request);
    if (!self.model_.is_checked_) return self.fail(self.model_.error_);
    if (self.monitor_ != nullptr && !self.monitor_->is_for(self.model_))
        return self.fail(Error("expected a monitor that was begun for the query's model"));
    if (auto const made = self.make_boxes(here); !made) return self.fail(made.error());
    for (std::size_t at = 0; at < self.parts_->boxes; ++at) self.add_task();
    if (self.place() != nullptr)
        for (std::size_t at = 0; at < self.parts_->boxes; ++at)
            if (self.parts_->box[at]->is_source()) self.place()->note_sources(1, 0);
    // In the order in which they were added; the last one first, as with the outputs of a box.
    for (std::size_t at = self.parts_->boxes; at > 0; --at)
        if (Box& box = *self.parts_->box[at - 1]; box.is_source()) box.schedule(here, Binding::Unbound);
}

Result<void> Query::make_boxes(CoreScheduler& here) {
    Error const no_memory = Error::of("out of memory: a graph of {} boxes", model_.parts_);
    parts_ = Parts::create(model_.parts_, model_.connections_);
    if (parts_ == nullptr) return no_memory;
    std::size_t const cores = here.scheduler().cores();
    for (Model::Part const* part = model_.first_; part != nullptr; part = part->next) {
        // With one FIFO for each core, boxes are dealt to the cores behind the one that begins the query.
        CoreId const home = here.scheduler().at((here.place() + parts_->boxes) % cores).core();
        Box* const box = part->make(*this, home);
        if (box == nullptr) return no_memory;
        parts_->box[parts_->boxes++] = box;
    }
    return make_edges();
}

Result<void> Query::make_edges() {
    for (Model::Connection const* at = model_.first_connection_; at != nullptr; at = at->next) {
        Edge* const edge = new (parts_->edge + parts_->edges++)
            Edge(*parts_->box[at->from->number], *parts_->box[at->to->number], at->capacity);
        std::size_t output = at->from->first_output;
        while (parts_->outputs[output] != nullptr) ++output;
        parts_->inputs[at->to->first_input + at->input] = edge;
        parts_->outputs[output] = edge;
    }
    for (Model::Part const* part = model_.first_; part != nullptr; part = part->next)
        parts_->box[part->number]->connect(part->name, part->number,
                                           parts_->inputs.subspan(part->first_input, part->inputs),
                                           parts_->outputs.subspan(part->first_output, part->outputs));
    return {};
}

void Query::take_apart(CoreScheduler& here, Request& request) {
    auto& self = static_cast<Query&>(request);
    if (Parts* const parts = self.parts_; parts != nullptr) {
        std::int64_t const taken = graph_memory::taken_here();
        for (std::size_t at = 0; at < parts->edges; ++at) {
            Edge& edge = parts->edge[at];
            self.edge_counts_.envelopes += edge.sent();
            self.edge_counts_.rejected += edge.rejected();
            self.edge_counts_.max_fill = std::max(self.edge_counts_.max_fill, edge.max_fill());
            edge.~Edge();
        }
        Model::Part const* part = self.model_.first_;
        for (std::size_t at = 0; at < parts->boxes; ++at, part = part->next) part->destroy(*parts->box[at]);
        // What edges and boxes have kept until now; no limit is to be looked at any more.
        if (self.monitor_ != nullptr) static_cast<void>(self.monitor_->note_memory(graph_memory::taken_here() - taken));
        heap::deallocate(parts, parts->bytes, cache_line_bytes);
        self.parts_ = nullptr;
    }
    while (self.shared_ != nullptr) {
        Shared* const shared = std::exchange(self.shared_, self.shared_->next);
        heap::deallocate(shared, shared->bytes, cache_line_bytes);
    }
    if (self.at_end_ != nullptr) self.at_end_(here, self);
}

} // namespace mxk::dataflow
