#include "bench/trace/trace_replay.hpp"

#include <algorithm>

#include "hashtable/fraction.hpp"

namespace mxk::bench {

Result<TraceReplay> TraceReplay::run(Trace const& trace, NodeId node) {
    static_assert(trace_format::max_operations <= KeyNumbers::max_keys);
    std::size_t const size = trace.size();
    auto instructions = MXK_TRY(NodeArray<Instruction>::create(size, node));
    auto keys = MXK_TRY(KeyNumbers::create(size, node));
    auto states = MXK_TRY(NodeArray<KeyState>::create(size, node));
    TraceReplay replay(std::move(instructions), std::move(keys), std::move(states));
    TraceReader reader(trace);
    for (TraceRecord record{}; reader.next(record);) replay.instructions_[replay.size_++] = replay.replay(record);
    replay.results_.operations = size;
    replay.sum_content();
    return replay;
}

Instruction TraceReplay::replay(TraceRecord const& record) {
    using enum Operation;
    std::size_t const known = keys_.keys().size();
    std::size_t const number = keys_.number_of(record.key);
    if (number == known) states_[number] = {};
    KeyState& state = states_[number];
    Operation const operation = record.operation;
    overwrites_ |= mxk::overwrites(operation);
    erases_ |= operation == Erase;
    bool const inserts = operation == Insert || operation == Upsert;
    bool const does_something = inserts ? !state.is_live : state.is_live;
    misses_writes_ |= (operation == Update || operation == Modify) && !does_something;
    repeats_ |= !does_something || (inserts && number != known);
    Instruction instruction(record.key, operation, does_something);
    instruction.version = state.version; // that a find or modify sees
    instruction.is_exact = (operation == Find || operation == Modify) && state.version != 0;
    if ((operation == Find || operation == Modify) && state.is_live) results_.seen += state.value;
    bool const writes = operation == Upsert || (does_something && operation != Find && operation != Erase);
    if (writes) {
        state = {record.value, state.is_live ? state.version + 1 : 0, true};
        max_version_ = std::max<std::uint64_t>(max_version_, state.version);
        if (operation != Modify) instruction.version = state.version;
    } else if (operation == Erase) {
        state = {};
    }
    if (does_something) ++results_.done[static_cast<std::size_t>(record.operation)];
    return instruction;
}

void TraceReplay::sum_content() {
    for (std::size_t number = 0; number < keys().size(); ++number) {
        if (!states_[number].is_live) continue;
        ++results_.keys;
        results_.content += keys()[number] ^ states_[number].value * golden_ratio;
    }
}

} // namespace mxk::bench
