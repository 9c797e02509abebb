#include "bench/workload/instruction_queue.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bench/frame/steps.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// An operation of a mixed phase, in its shares.
Operation drawn_operation(Mix const& mix, Random& random) {
    std::uint64_t const draw = random.below(100);
    if (draw < mix.insert) return Operation::Insert;
    return draw < mix.insert + mix.find ? Operation::Find : Operation::Erase;
}

Operation operation_of(Mix const& phase, Random& random) {
    switch (phase.kind) {
    case Mix::Kind::Insert: return Operation::Insert;
    case Mix::Kind::Find: return Operation::Find;
    case Mix::Kind::Erase: return Operation::Erase;
    default: break;
    }
    return drawn_operation(phase, random);
}

// Part i of `whole` cut into `parts` whose sizes differ by up to one.
constexpr std::size_t part_start(std::size_t whole, std::size_t parts, std::size_t i) {
    return whole / parts * i + std::min(i, whole % parts);
}

// By a draw below 100.
Operation operation_of(Ycsb::Shares const& shares, std::uint64_t draw) {
    if (draw < shares.finds) return Operation::Find;
    return draw < shares.finds + shares.updates ? Operation::Update : Operation::Modify;
}

// Where packed slices begin in their array: 16 bytes behind a line's start, as in memory of the C library. So slices
// share lines whether or not their sizes are multiples of a line.
constexpr std::size_t packed_start = 1;
static_assert(packed_start * sizeof(Instruction) < cache_line_bytes);

} // namespace

Result<Slice> Slice::create(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key, NodeId node) {
    Slice slice(room, keys, first_key);
    slice.live_ = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed((room.size() + word_bits - 1) / word_bits, node));
    return slice;
}

Result<Slice> Slice::create_listed(std::span<Instruction> room, NodeArray<std::uint64_t> keys, NodeId node) {
    Keys const listed{.kind = Keys::Kind::File, .listed = keys.span()};
    Slice slice = MXK_TRY(create(room, KeySequence(listed, 0), 0, node));
    slice.listed_ = std::move(keys);
    return slice;
}

Result<Slice> Slice::create_repeated(std::span<Instruction> room, std::size_t draws, unsigned bits, std::size_t place,
                                     std::size_t slices, std::optional<ModuloKeys> const& others, NodeId node) {
    std::size_t const max_keys = draws * room.size();
    auto keys = MXK_TRY(NodeArray<std::uint64_t>::create(max_keys, node));
    Slice slice = MXK_TRY(create_listed(room, std::move(keys), node));
    slice.live_ = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed((max_keys + word_bits - 1) / word_bits, node));
    auto numbers = MXK_TRY(NodeArray<std::uint32_t>::create(std::bit_ceil(2 * max_keys + 1), node));
    slice.repeated_ = RepeatedKeys{std::move(numbers), 0, bits, place, slices, others};
    return slice;
}

Result<void> Slice::prepare_mixed(NodeId node) {
    picks_ = MXK_TRY(NodeArray<std::uint32_t>::create(size(), node));
    return {};
}

void Slice::set_live(std::size_t at, bool live) {
    if (is_live(at) == live) return;
    live_[at / word_bits] ^= std::uint64_t{1} << at % word_bits;
    live ? ++live_count_ : --live_count_;
}

void Slice::forget() {
    std::fill(live_.span().begin(), live_.span().end(), 0);
    live_count_ = 0;
    if (!repeated_) return;
    std::fill(repeated_->numbers.span().begin(), repeated_->numbers.span().end(), 0);
    repeated_->key_count = 0;
}

std::size_t Slice::number_of(std::uint64_t key) {
    RepeatedKeys& known = *repeated_;
    for (std::size_t place = MixedHash()(key);; ++place) {
        std::uint32_t& number = known.numbers[place & (known.numbers.size() - 1)];
        if (number != 0 && listed_[number - 1] != key) continue;
        if (number == 0) {
            listed_[known.key_count++] = key;
            number = static_cast<std::uint32_t>(known.key_count);
        }
        return number - 1;
    }
}

// All keys of a slice are its own, so that their operations keep their order.
std::uint64_t Slice::drawn_key(Random& random) const {
    for (;;) {
        std::uint64_t const key = 1 + random.below((std::uint64_t{1} << repeated_->bits) - 1);
        if (MixedHash()(key) % repeated_->slices != repeated_->place) continue;
        return repeated_->others ? (*repeated_->others)(key) : key;
    }
}

void Slice::draw_repeated(std::size_t from, std::size_t to, Mix const& phase, Random& random) {
    count_ = size();
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = operation_of(phase, random);
        put_drawn(at, operation, number_of(drawn_key(random)));
    }
}

void Slice::finish_repeated(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at) {
        Instruction const made = instructions_[at];
        put_drawn(at, made.operation, number_of(made.key));
    }
}

void Slice::fill_inserts(std::size_t from, std::size_t to, std::size_t kept) {
    count_ = size() - kept;
    for (std::size_t at = from; at < std::min(to, count_); ++at) {
        instructions_[at] = {key(at), Operation::Insert, true};
        set_live(at, true);
        if (picks_.size() != 0) picks_[at] = static_cast<std::uint32_t>(at);
    }
    pick_count_ = std::min(to, count_);
}

void Slice::turn_into(Operation operation, std::size_t from, std::size_t to, Random& random) {
    for (std::size_t at = from; at < to; ++at) {
        instructions_[at].operation = operation;
        std::swap(instructions_[at], instructions_[random.below(at + 1)]); // Fisher and Yates, from the front
        if (repeated_) continue;                                           // finish_repeated()
        set_live(at, operation == Operation::Find); // the key `at`, wherever it stands: in the end it is all of them
    }
}

void Slice::put_find_or_erase(std::size_t at, Operation operation, Random& random) {
    std::size_t const pick = random.below(pick_count_);
    std::size_t const picked = picks_[pick];
    instructions_[at] = {key(picked), operation, true};
    if (operation == Operation::Find) return;
    set_live(picked, false);
    std::swap(picks_[pick], picks_[--pick_count_]);
}

void Slice::put_insert(std::size_t at, Random& random) {
    std::swap(picks_[pick_count_ + random.below(size() - pick_count_)], picks_[pick_count_]);
    std::size_t const picked = picks_[pick_count_++];
    instructions_[at] = {key(picked), Operation::Insert, true};
    set_live(picked, true);
}

void Slice::fill_mixed(std::size_t from, std::size_t to, Mix const& mix, Random& random) {
    if (from == 0) pick_count_ = 0;
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = drawn_operation(mix, random);
        bool const inserts = operation == Operation::Insert || pick_count_ == 0;
        set_live(at, inserts);
        if (!inserts) {
            put_find_or_erase(at, operation, random);
            continue;
        }
        instructions_[at] = {key(at), Operation::Insert, true};
        picks_[pick_count_++] = static_cast<std::uint32_t>(at);
    }
}

void Slice::fill_loaded(std::size_t from, std::size_t to, Mix const& mix, Random& random) {
    for (std::size_t at = from; at < to; ++at) {
        Operation operation = drawn_operation(mix, random);
        if (pick_count_ == 0) operation = Operation::Insert;
        if (operation == Operation::Insert && pick_count_ == size()) operation = Operation::Erase;
        if (operation == Operation::Insert)
            put_insert(at, random);
        else
            put_find_or_erase(at, operation, random);
    }
}

void Slice::put_drawn(std::size_t at, Operation operation, std::size_t drawn) {
    bool const live = is_live(drawn);
    instructions_[at] = {key(drawn), operation, operation == Operation::Insert ? !live : live};
    if (operation != Operation::Find) set_live(drawn, operation == Operation::Insert);
}

void Slice::draw(std::size_t from, std::size_t to, Mix const& phase, KeyDraw const& keys, Random& random) {
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = operation_of(phase, random);
        put_drawn(at, operation, keys(random));
    }
}

// Each place that is left is one of an insert as likely as another (selection sampling: Knuth 3.4.2, Algorithm S).
void Slice::draw_inserts(std::size_t from, std::size_t to, KeyDraw const& keys, Random& random) {
    count_ = size();
    for (std::size_t at = from; at < to; ++at) {
        std::size_t const known = live_count_;
        bool const inserts = random.below(size() - at) < size() - known;
        put_drawn(at, inserts ? Operation::Insert : Operation::Find, inserts ? known : keys(random, known));
    }
}

// For the time being with the key's number for the key.
void Slice::draw_from_all(std::size_t from, std::size_t to, Ycsb::Shares shares, KeyDraw const& all_keys,
                          YcsbWrites& writes, Random& random) {
    count_ = size();
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = operation_of(shares, random.below(100));
        std::uint64_t const number = all_keys(random);
        Instruction& made = instructions_[at] = {number, operation, true};
        made.version = static_cast<std::uint32_t>(
            operation == Operation::Update ? YcsbWrites::version_at(first_key_ + at) : writes.max_version());
        if (overwrites(operation)) writes.count(number);
    }
}

// From behind, so that the first write that is seen of a key is the slice's last.
void Slice::finish_from_all(std::size_t from, std::size_t to, std::span<std::uint64_t> seen) {
    for (std::size_t i = from; i < to; ++i) {
        Instruction& made = instructions_[size() - 1 - i];
        std::uint64_t const number = std::exchange(made.key, keys_(made.key));
        if (made.operation != Operation::Update) continue;
        std::uint64_t const bit = std::uint64_t{1} << number % word_bits;
        made.is_last_write = (seen[number / word_bits] & bit) == 0;
        seen[number / word_bits] |= bit;
    }
}

Result<InstructionQueue> InstructionQueue::create(Workload const& workload, QueueKind kind,
                                                  std::span<CoreId const> cores,
                                                  std::optional<ModuloKeys> const& others,
                                                  std::optional<ModuloCut> const& cut) {
    if (workload.replay != nullptr) return create_split(workload, kind, cores, others, cut);
    constexpr std::size_t keys_of_a_slice = 64; // no fewer: then each slice has some
    if (workload.keys.kind == Keys::Kind::Repeated &&
        std::uint64_t{1} << workload.keys.bits < keys_of_a_slice * cores.size())
        return Error::of("--keys random:BITS: expected {} keys or more for each of {} cores, got {} bits",
                         keys_of_a_slice, cores.size(), workload.keys.bits);
    InstructionQueue result(workload, kind, others, cut);
    NodeId const here = workers::of(core_id(0)).node();
    KeySequence const keys(workload.keys, workload.seed, others);
    KeySequence const seeds(workload.keys, workload.seed);
    bool const uniform = workload.distribution.is_uniform();
    bool const overwrites = workload.max_version() != 0;
    if (workload.ycsb) result.all_keys_.emplace(workload.distribution, workload.operations, workload.seed);
    if (overwrites) result.writes_ = MXK_TRY(YcsbWrites::create(workload.operations, here));
    bool const mixed = workload.mix.list().front().has_shares();
    std::size_t const draws = workload.mix.list().front().kind == Mix::Kind::Loaded ? 2 : 1; // one to fill the table
    result.cores_ = MXK_TRY(NodeVector<CoreId>::create(cores.size(), here));
    result.arrays_ = MXK_TRY(NodeVector<NodeArray<Instruction>>::create(cores.size(), here));
    result.parts_ = MXK_TRY(NodeVector<Part>::create(cores.size(), here));
    for (CoreId const core : cores) result.cores_.emplace(core);
    if (kind == QueueKind::Owner) MXK_TRY(result.add_owners_slices(keys));
    for (std::size_t i = 0; i < cores.size() && kind != QueueKind::Owner; ++i) {
        std::size_t const start = part_start(workload.operations, cores.size(), i);
        std::size_t const size = part_start(workload.operations, cores.size(), i + 1) - start;
        NodeId const node = result.node(i);
        auto const room = MXK_TRY(result.room(start, size, i));
        bool const repeats = workload.keys.kind == Keys::Kind::Repeated;
        auto slice =
            MXK_TRY(repeats ? Slice::create_repeated(room, draws, workload.keys.bits, i, cores.size(), others, node)
                            : Slice::create(room, keys, start, node));
        Part& part = result.parts_.emplace(std::move(slice), Random(workload.seed + i),
                                           KeyDraw(workload.distribution, size, room.empty() ? 0 : seeds(start)),
                                           NodeArray<std::uint64_t>());
        if (overwrites) part.seen = MXK_TRY(NodeArray<std::uint64_t>::create(workload.operations / 64 + 1, node));
    }
    if (mixed && uniform)
        for (std::size_t i = 0; i < cores.size(); ++i) MXK_TRY(result.parts_[i].slice.prepare_mixed(result.node(i)));
    return result;
}

Result<void> InstructionQueue::add_owners_slices(KeySequence const& keys) {
    NodeId const here = workers::of(core_id(0)).node();
    auto counts = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores_.size(), here));
    for (std::size_t at = 0; at < operations(); ++at) ++counts[cut_->owner(keys(at))];
    auto lists = MXK_TRY(NodeVector<NodeArray<std::uint64_t>>::create(cores_.size(), here));
    for (std::size_t i = 0; i < cores_.size(); ++i)
        lists.emplace(MXK_TRY(NodeArray<std::uint64_t>::create(std::exchange(counts[i], 0), node(i))));
    for (std::size_t at = 0; at < operations(); ++at) {
        std::size_t const owner = cut_->owner(keys(at));
        lists[owner][counts[owner]++] = keys(at);
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        auto const room = MXK_TRY(this->room(0, counts[i], i));
        std::uint64_t const first = counts[i] != 0 ? lists[i][0] : 0;
        parts_.emplace(MXK_TRY(Slice::create_listed(room, std::move(lists[i]), node(i))), Random(workload_->seed + i),
                       KeyDraw(workload_->distribution, counts[i], first), NodeArray<std::uint64_t>());
    }
    return {};
}

NodeId InstructionQueue::node(std::size_t place) const {
    bool const with_its_core = kind_ == QueueKind::NodeLocal || kind_ == QueueKind::Owner;
    return workers::of(with_its_core ? cores_[place] : core_id(0)).node();
}

Result<std::span<Instruction>> InstructionQueue::room(std::size_t start, std::size_t size, std::size_t place) {
    bool const together = is_one_array();
    if (!together || arrays_.size() == 0)
        arrays_.emplace(
            MXK_TRY(NodeArray<Instruction>::create(together ? operations() + packed_start : size, node(place))));
    if (!together) return arrays_[place].span().first(size);
    return arrays_[0].span().subspan(start + (is_packed() ? packed_start : 0), size);
}

std::span<Instruction const> InstructionQueue::source(std::size_t place) const {
    return kind() == QueueKind::Shared ? arrays_[0].span().first(operations()) : slice(place).instructions();
}

std::uint64_t InstructionQueue::phase_operations() const {
    std::uint64_t count = 0;
    for (Part const& part : parts_) count += part.slice.instructions().size();
    return count;
}

bool InstructionQueue::is_right(std::size_t place, std::size_t at, std::optional<std::uint64_t> value) const {
    Slice const& its = slice(place);
    if (!its.is_live(at) || !value) return its.is_live(at) == value.has_value();
    if (writes_.none()) return *value == value_of(its.key(at), its.last_version(at));
    std::uint64_t const version = version_of(its.key(at), *value);
    std::uint64_t const writes = writes_.of(part_start(operations(), parts_.size(), place) + at);
    if (version == 0 || writes == 0) return version == writes;
    if (workload_->ycsb->shares().modifies != 0) return version == writes; // each has made the next one
    if (version > operations()) return false;
    // The one that wrote it: of all that its slice has written to the key, the last.
    std::size_t writer = 0;
    std::uint64_t left = YcsbWrites::number_of(version);
    for (; left >= slice(writer).size(); ++writer) left -= slice(writer).size();
    Instruction const& last = slice(writer).instructions()[left];
    return last.operation == Operation::Update && last.key == its.key(at) && last.is_last_write;
}

// Of those that are inserted in the phase `run`.
std::size_t InstructionQueue::kept_keys(Slice const& slice) const {
    return workload_->ycsb ? workload_->ycsb->inserts(slice.size()) : 0;
}

std::uint64_t InstructionQueue::live_count() const {
    std::uint64_t count = 0;
    for (Part const& part : parts_) count += part.slice.live_count();
    return count;
}

std::size_t InstructionQueue::max_key_count() const {
    std::size_t max = 0;
    for (Part const& part : parts_) max = std::max(max, part.slice.key_count());
    return max;
}

Result<void> InstructionQueue::over_slices(std::string_view what, Progress& progress, PieceStep step, void* context) {
    ProgressCounter counter;
    progress.phase(what, operations(), counter);
    auto places = MXK_TRY(NodeArray<std::size_t>::create_zeroed(parts_.size(), Worker::current().node()));
    return run_steps(cores(), progress, [&](Worker&, std::size_t i) {
        std::size_t const from = places[i];
        std::size_t const to = std::min(from + piece, parts_[i].slice.size());
        step(context, parts_[i], from, to);
        places[i] = to;
        counter.add(to - from);
        return to == parts_[i].slice.size() || progress.interrupted() ? Step::Done : Step::Again;
    });
}

Result<void> InstructionQueue::begin_with(Mix const& phase, Progress& progress) {
    if (workload_->replay != nullptr) return deal(progress);
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].random = Random(workload_->seed + i);
    writes_.forget();
    return over_slices("making instructions", progress, [&](Part& part, std::size_t from, std::size_t to) {
        if (from == 0) part.slice.forget();
        if (part.slice.repeats())
            return part.slice.draw_repeated(from, to, phase.needs_keys() ? Mix{} : phase, part.random);
        if (phase.kind == Mix::Kind::Load) return part.slice.fill_inserts(from, to, kept_keys(part.slice));
        if (phase.needs_keys()) return part.slice.fill_inserts(from, to);
        if (!workload_->distribution.is_uniform()) return part.slice.draw(from, to, phase, part.keys, part.random);
        if (phase.kind == Mix::Kind::Mixed) return part.slice.fill_mixed(from, to, phase, part.random);
        part.slice.fill_inserts(from, to);
    });
}

Result<void> InstructionQueue::continue_with(Mix const& phase, Progress& progress) {
    if (phase.kind == Mix::Kind::Run) return make_run(progress);
    bool const is_loaded = phase.kind == Mix::Kind::Loaded;
    Operation const operation = phase.kind == Mix::Kind::Find ? Operation::Find : Operation::Erase;
    std::string_view const what = is_loaded ? "making instructions" : "shuffling keys";
    MXK_TRY(over_slices(what, progress, [&](Part& part, std::size_t from, std::size_t to) {
        if (is_loaded && part.slice.repeats())
            part.slice.draw_repeated(from, to, phase, part.random);
        else if (!workload_->distribution.is_uniform())
            part.slice.draw(from, to, phase, part.keys, part.random);
        else if (is_loaded)
            part.slice.fill_loaded(from, to, phase, part.random);
        else
            part.slice.turn_into(operation, from, to, part.random);
    }));
    if (is_loaded || workload_->keys.kind != Keys::Kind::Repeated) return {};
    return over_slices(what, progress,
                       [](Part& part, std::size_t from, std::size_t to) { part.slice.finish_repeated(from, to); });
}

Result<void> InstructionQueue::make_run(Progress& progress) {
    Ycsb::Shares const shares = workload_->ycsb->shares();
    if (shares.inserts != 0)
        return over_slices("making instructions", progress, [](Part& part, std::size_t from, std::size_t to) {
            part.slice.draw_inserts(from, to, part.keys, part.random);
        });
    writes_.begin();
    MXK_TRY(over_slices("making instructions", progress, [&](Part& part, std::size_t from, std::size_t to) {
        part.slice.draw_from_all(from, to, shares, *all_keys_, writes_, part.random);
    }));
    return over_slices("numbering instructions", progress, [](Part& part, std::size_t from, std::size_t to) {
        if (from == 0) std::fill(part.seen.span().begin(), part.seen.span().end(), 0);
        part.slice.finish_from_all(from, to, part.seen.span());
    });
}

} // namespace mxk::bench
