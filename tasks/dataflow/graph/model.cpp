#include "tasks/dataflow/graph/model.hpp"

#include <algorithm>

#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::dataflow {

Model::~Model() {
    while (first_ != nullptr) std::exchange(first_, first_->next)->destroy_self();
    while (first_connection_ != nullptr)
        heap::deallocate(std::exchange(first_connection_, first_connection_->next), sizeof(Connection));
}

Model::BoxId Model::fail(Error const& error) {
    if (!has_failed_) error_ = error;
    has_failed_ = true;
    is_checked_ = false;
    return {};
}

void Model::note_change() {
    is_checked_ = false;
    if (!has_failed_) error_ = Error(unchecked);
}

Model::BoxId Model::add_part(Part& part) {
    note_change();
    part.number = parts_++;
    (last_ != nullptr ? last_->next : first_) = &part;
    last_ = &part;
    return {part.number};
}

Model::Part* Model::part(BoxId id) const {
    Part* part = first_;
    while (part != nullptr && part->number != id.number) part = part->next;
    return part;
}

// SIZE_MAX: there is none of that name.
std::size_t Model::input_of(Part& to, std::string_view name) {
    if (to.shares_input_name) return to.inputs;
    if (name.empty() && to.input_names.size() == 1) return 0;
    for (std::size_t at = 0; at < to.input_names.size(); ++at)
        if (to.input_names[at] == name) return at;
    return SIZE_MAX;
}

bool Model::has_connection(Part const& to, std::size_t input) const {
    for (Connection const* at = first_connection_; at != nullptr; at = at->next)
        if (at->to == &to && at->input == input) return true;
    return false;
}

void Model::connect(BoxId from, BoxId to, std::string_view input) {
    if (has_failed_) return; // one of them may be missing because of that
    Part* const sender = part(from);
    Part* const receiver = part(to);
    if (sender == nullptr || receiver == nullptr) {
        fail(Error("connect: expected two boxes of this model"));
        return;
    }
    if (!sender->has_output) {
        fail(Error::of("box '{}' has no output, but is connected to box '{}'", sender->name, receiver->name));
        return;
    }
    std::size_t const at = input_of(*receiver, input);
    if (at == SIZE_MAX) {
        FixedText<120> names;
        for (std::string_view const each : receiver->input_names)
            format(names, "{}{}", names.view().empty() ? "" : ", ", each);
        fail(Error::of("box '{}': expected one of its inputs {}, got '{}'", receiver->name, names.view(), input));
        return;
    }
    if (!receiver->shares_input_name && has_connection(*receiver, at)) {
        fail(Error::of("box '{}': input '{}' is connected twice, the second time from box '{}'", receiver->name,
                       receiver->input_names[at], sender->name));
        return;
    }
    if (capacity_ == 0 || capacity_ > Edge::max_capacity) {
        fail(Error::of("box '{}': expected room for 1 to {} envelopes at input '{}', got {}", receiver->name,
                       Edge::max_capacity, receiver->input_names[std::min(at, receiver->input_names.size() - 1)],
                       capacity_));
        return;
    }
    void* const place = heap::allocate(sizeof(Connection));
    if (place == nullptr) {
        fail(Error::of("box '{}': out of memory", receiver->name));
        return;
    }
    note_change();
    auto* const added = new (place) Connection{.from = sender, .to = receiver, .input = at, .capacity = capacity_};
    (last_connection_ != nullptr ? last_connection_->next : first_connection_) = added;
    last_connection_ = added;
    ++connections_;
    ++sender->outputs;
    ++receiver->inputs;
}

Result<void> Model::check_part(Part const& part) const {
    if (part.has_output && part.outputs == 0) return Error::of("box '{}': its output is not connected", part.name);
    if (part.shares_input_name) {
        if (part.inputs == 0) return Error::of("box '{}': input '{}' is not connected", part.name, part.input_names[0]);
        return {};
    }
    for (std::size_t input = 0; input < part.input_names.size(); ++input)
        if (!has_connection(part, input))
            return Error::of("box '{}': input '{}' is not connected", part.name, part.input_names[input]);
    return {};
}

// Takes away, again and again, what has no receiver left: what stays is on a circle, or leads to one.
Result<void> Model::check_circles() {
    enum : unsigned { Stays, HasReceiver, Gone };
    for (Part* at = first_; at != nullptr; at = at->next) at->mark = Stays;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next)
            if (edge->to->mark != Gone) edge->from->mark = HasReceiver;
        for (Part* at = first_; at != nullptr; at = at->next) {
            if (at->mark == Stays) is_done = false;
            at->mark = at->mark == HasReceiver ? Stays : Gone;
        }
    }
    for (Part const* at = first_; at != nullptr; at = at->next)
        if (at->mark == Stays)
            return Error::of("box '{}' would receive what it has sent: the boxes form a circle", at->name);
    return {};
}

Result<void> Model::check_columns(Part& part) {
    GrowingArray<InputColumns> inputs;
    for (std::size_t input = 0; input < part.inputs; ++input)
        if (!inputs.add({})) return Error::of("box '{}': out of memory", part.name);
    for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next)
        if (edge->to == &part)
            inputs[edge->input] = {.input = part.input_names[part.shares_input_name ? 0 : edge->input],
                                   .sender = edge->from->name,
                                   .types = edge->from->given};
    auto const given = part.columns(inputs.span());
    if (!given.ok()) return Error::of("box '{}': {}", part.name, given.error().message());
    part.given = given.value();
    return {};
}

// Each box after those it receives from. There is no circle, so each round finds some.
Result<void> Model::check_columns() {
    enum : unsigned { Left, Waits, Checked };
    for (Part* at = first_; at != nullptr; at = at->next) at->mark = Left;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next)
            if (edge->from->mark != Checked) edge->to->mark = Waits;
        for (Part* at = first_; at != nullptr; at = at->next) {
            if (at->mark == Left) MXK_TRY(check_columns(*at));
            if (at->mark == Waits) is_done = false;
            at->mark = at->mark == Waits ? Left : Checked;
        }
    }
    return {};
}

// Marks all from which a marked one gets something; `also_collected`: also through one that collects, which always
// takes what they have.
void Model::mark_ancestors(unsigned mark, bool also_collected) {
    for (bool has_marked = true; has_marked;) {
        has_marked = false;
        for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next) {
            if ((edge->to->mark & mark) == 0 || (edge->from->mark & mark) != 0) continue;
            if (edge->to->collects && !also_collected) continue;
            edge->from->mark |= mark;
            has_marked = true;
        }
    }
}

// A box that reads one input to its end before the next one lets the other's buffers fill. If one box feeds both, that
// one stands still then, and the first input never ends: whether one that collects lies in front of that or not. It has
// several receivers, or one behind it that waits for the same has.
Result<void> Model::check_order(Part const& part) {
    for (std::size_t first = 0; first < part.inputs; ++first) {
        for (Part* at = first_; at != nullptr; at = at->next) at->mark = 0;
        for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next)
            if (edge->to == &part) edge->from->mark |= edge->input == first ? 1U : 2U;
        mark_ancestors(1, false);
        bool has_several = false;
        for (Part const* at = first_; at != nullptr; at = at->next)
            has_several = has_several || (at->mark == 1 && at->outputs > 1);
        if (!has_several) continue;
        mark_ancestors(2, true);
        for (Part const* at = first_; at != nullptr; at = at->next)
            if (at->mark == 3)
                return Error::of(
                    "box '{}' reads its inputs one after the other, and box '{}' feeds input '{}' and another: "
                    "it would wait for ever",
                    part.name, at->name, part.input_names[std::min(first, part.input_names.size() - 1)]);
    }
    return {};
}

// The same behind a connection.
void Model::mark_descendants(Connection const& from, unsigned mark, bool also_collected) {
    for (bool has_marked = true; has_marked;) {
        has_marked = false;
        for (Connection const* edge = first_connection_; edge != nullptr; edge = edge->next) {
            if ((edge != &from && (edge->from->mark & mark) == 0) || (edge->to->mark & mark) != 0) continue;
            if (edge->to->collects && !also_collected) continue;
            edge->to->mark |= mark;
            has_marked = true;
        }
    }
}

// Whether `full` leads to an input, by marks of 1, and `other` to another one, by marks of 2.
bool Model::reach_two_inputs(Part const& part, Connection const& full, Connection const& other) const {
    for (Connection const* a = first_connection_; a != nullptr; a = a->next) {
        if (a->to != &part || (a != &full && (a->from->mark & 1U) == 0)) continue;
        for (Connection const* b = first_connection_; b != nullptr; b = b->next)
            if (b->to == &part && b->input != a->input && (b == &other || (b->from->mark & 2U) != 0)) return true;
    }
    return false;
}

// A box that waits for one of its inputs lets the buffers of another fill. A box that sends the same to both stands
// still then. One that deals its envelopes does not.
Result<void> Model::check_waits(Part const& part) {
    for (Connection const* full = first_connection_; full != nullptr; full = full->next) {
        if (full->from->outputs < 2 || full->from->deals) continue;
        for (Connection const* other = first_connection_; other != nullptr; other = other->next) {
            if (other == full || other->from != full->from) continue;
            for (Part* at = first_; at != nullptr; at = at->next) at->mark = 0;
            mark_descendants(*full, 1, false);
            mark_descendants(*other, 2, true);
            if (reach_two_inputs(part, *full, *other))
                return Error::of(
                    "box '{}' waits for one of its inputs while others are full, and box '{}' feeds two of "
                    "them: it would wait for ever",
                    part.name, full->from->name);
        }
    }
    return {};
}

Result<void> Model::check() {
    if (has_failed_) return error_;
    auto const result = check_all();
    is_checked_ = result.ok();
    if (!result) error_ = result.error();
    return result;
}

Result<void> Model::check_all() {
    if (first_ == nullptr) return Error("expected a model with a box, got none");
    for (Part const* at = first_; at != nullptr; at = at->next) MXK_TRY(check_part(*at));
    MXK_TRY(check_circles());
    for (Part const* at = first_; at != nullptr; at = at->next)
        if (at->reads_in_order) MXK_TRY(check_order(*at));
    for (Part const* at = first_; at != nullptr; at = at->next)
        if (at->waits_for_each) MXK_TRY(check_waits(*at));
    MXK_TRY(check_columns());
    number_edges();
    return {};
}

// In the order of the boxes.
void Model::number_edges() {
    std::size_t input = 0;
    std::size_t output = 0;
    for (Part* at = first_; at != nullptr; at = at->next) {
        at->first_input = input;
        at->first_output = output;
        input += at->inputs;
        output += at->outputs;
    }
}

} // namespace mxk::dataflow
