// A client on core 0, in thread 1, that submits operations to regions, of which some are core 1's, and what it expects
// of them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/cpu.hpp"
#include "hashtable/batch/batch_client.hpp"
#include "hashtable/table/resharding.hpp"
#include "tests/model/batch_tables.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {

struct Step {
    Operation operation;
    std::uint64_t key;
};
enum class Submits : std::uint8_t {
    One,     // by one
    InTurns, // the same, and gives others a turn between them
    Each,    // all at once
    Apart    // those of each region for themselves, in turns
};
struct BatchShape {
    std::vector<std::vector<Step>> phases; // the client is at rest behind each
    std::size_t regions = 1;
    std::size_t spare = 0;
    std::size_t reserve = 0;
    Submits submits = Submits::One;
    bool flushes = false;
    bool has_memory = true; // for a reserve
    bool has_avx2 = false;
    Cycles cap{};                       // of a pace
    std::size_t cores = 2;              // with 3, regions are those of the others
    std::size_t owners = 1;             // of shards
    std::vector<std::size_t> changes{}; // how many there are then
    std::vector<Step> last{};           // submitted right before the client's core learns of the change
    std::vector<Step> behind{};         // and right behind
    std::size_t round = 32;
    bool is_long = false;
    bool is_large = false;
};

template <typename Map> FixedRegions<Map>* make_regions(FixedRegions<Map>* /*type*/, BatchShape const& shape) {
    auto* const result = ModelMemory::make<FixedRegions<Map>>();
    result->count = shape.regions;
    result->cores = shape.cores;
    return result;
}
using Shards = Sharded<ShardMap>;
inline Shards* make_regions(Shards* /*type*/, BatchShape const& shape) {
    std::array<Owner, 2> const places{{{core_id(0), NodeId{}}, {core_id(1), NodeId{}}}};
    Shards::per_core = 1;
    return ModelMemory::make<Shards>(std::move(Shards::create({.slots = 1}, places, shape.owners).value()));
}

template <typename Regions, typename Pace = NoPace> class BatchUse {
  public:
    using Shape = BatchShape;

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.max_events = 1000;
        program.begin = [this, shape] { begin(shape); };
        program.threads.emplace_back([this, shape] {
            Worker& here = Worker::current();
            for (std::vector<Step> const& phase : shape.phases) run(here, shape, phase);
            for (std::size_t i = 1; i < shape.cores; ++i) here.append(*ends_.at(i), core_id(i));
        });
        for (std::size_t i = 1; i < shape.cores; ++i)
            program.threads.emplace_back(
                [this, i] { Worker::current().run_until([this, i] { return ends_.at(i)->has_ended; }); });
        program.end = [this] {
            client_->~Client();
            model_memory_is_out = false;
            for (std::size_t region = 0; region < 2; ++region)
                WeakMemory::current().check(answered_.at(region) == submitted_.at(region).size(), "no answer");
        };
        return {std::move(name), std::move(program), 0, shape.is_long, shape.is_large};
    }

  private:
    struct Submitter;
    struct End : Task {
        End()
            : Task([](Worker&, Task& task) { static_cast<End&>(task).has_ended = true; }) {}
        bool has_ended = false;
    };
    struct Completed {
        BatchUse* use;
        void operator()(Worker&, auto const& batch) const {
            use->check_kinds(batch);
            for (std::size_t at = 0; at < batch.size(); ++at) use->complete(batch, at);
        }
    };
    using Client = BatchClient<Regions, Completed, std::uint64_t, Pace>;
    struct Asked {
        Step step;
        TableResult result;
        std::uint64_t found; // of a find or modify with Yes
    };
    struct Change : OwnerChangeHook {
        Change(BatchUse& its_use, std::vector<Step> const& steps, Submitter& submitter)
            : OwnerChangeHook{[](OwnerChangeHook& hook, Worker& worker) {
                auto& self = static_cast<Change&>(hook);
                for (Step const step : std::exchange(self.last, {}))
                    WeakMemory::current().check(self.use.submit(step) == 1, "there is room");
                if (Submitter* const others = std::exchange(self.behind, nullptr)) worker.append(*others);
            }}
            , use(its_use)
            , last(steps)
            , behind(&submitter) {}
        BatchUse& use;
        std::vector<Step> last;
        Submitter* behind;
    };
    struct Submitter : Task {
        Submitter(BatchUse& its_use, Shape const& its_shape, std::vector<Step> all)
            : Task(&Submitter::submit)
            , use(its_use)
            , shape(its_shape)
            , steps(std::move(all)) {}
        static void submit(Worker& worker, Task& task) {
            auto& self = static_cast<Submitter&>(task);
            worker.note_progress();
            while (self.done < self.steps.size()) {
                std::size_t const count = self.shape.submits == Submits::Each
                                              ? self.use.submit_each(std::span(self.steps).subspan(self.done))
                                              : self.use.submit(self.steps[self.done]);
                self.done += count;
                if (count == 0) {
                    self.use.note_state();
                    return self.use.client_->when_room(task);
                }
                if (self.shape.submits == Submits::InTurns || self.shape.submits == Submits::Apart)
                    return worker.append(task);
            }
            if (self.shape.flushes) self.use.client_->flush();
            self.use.note_state();
            task.body = [](Worker&, Task& at_rest) { static_cast<Submitter&>(at_rest).is_at_rest = true; };
            self.use.client_->when_at_rest(task);
        }
        BatchUse& use;
        Shape const& shape;
        std::vector<Step> steps;
        std::size_t done = 0;
        bool is_at_rest = false;
    };

    void begin(Shape const& shape) {
        model_round = shape.round;
        model_has_avx2 = shape.has_avx2;
        model_time_of_look = 100'000; // the patience
        make_model_workers(shape.cores);
        regions_ = make_regions(regions_, shape);
        batched_ = ModelMemory::make<Batched<Regions>>(std::move(Batched<Regions>::create(*regions_).value()));
        client_ =
            ModelMemory::make<Client>(workers::of(core_id(0)), *batched_, memory_of_client(shape), Completed{this});
        model_memory_is_out = !shape.has_memory;
        for (End*& each : ends_) each = ModelMemory::make<End>();
        expected_ = {};
        submitted_ = {};
        answered_ = {};
        number_ = 0;
    }
    typename Client::Memory memory_of_client(Shape const& shape) {
        if constexpr (std::same_as<Pace, NoPace>)
            return std::move(Client::Memory::create(*batched_, NodeId{}, shape.spare, shape.reserve).value());
        else
            return std::move(
                Client::Memory::create_paced(*batched_, NodeId{}, shape.cap, shape.spare, shape.reserve).value());
    }
    void run(Worker& here, Shape const& shape, std::vector<Step> const& phase) {
        std::vector<Submitter*> all;
        for (std::uint64_t region = 0; region < (shape.submits == Submits::Apart ? 2U : 1U); ++region) {
            std::vector<Step> steps;
            for (Step const step : phase)
                if (shape.submits != Submits::Apart || step.key % 2 == region) steps.push_back(step);
            all.push_back(ModelMemory::make<Submitter>(*this, shape, std::move(steps)));
            here.append(*all.back());
        }
        if constexpr (requires { typename Regions::View; }) {
            all.push_back(ModelMemory::make<Submitter>(*this, shape, shape.behind));
            Change& change = *ModelMemory::make<Change>(*this, shape.last, *all.back());
            regions_->before_change(here.core(), change);
            for (std::size_t const owners : shape.changes)
                WeakMemory::current().check(Resharding<Regions>::run(*regions_, owners).ok(), "no memory");
            here.run_until([&] { return std::ranges::all_of(all, &Submitter::is_at_rest); });
            return regions_->forget(here.core(), change);
        }
        here.run_until([&] { return std::ranges::all_of(all, &Submitter::is_at_rest); });
    }
    void note_state() {
        note(answered_[0] + answered_[1]);
        note(raw(model_time) / model_time_of_look);
    }
    // The number of the operation among those of its region, behind so many.
    std::uint64_t cookie(std::size_t region, std::size_t before) const {
        return 1000 * region + submitted_.at(region).size() + before;
    }
    std::size_t submit(Step step) {
        std::size_t const region = regions_->owner(step.key);
        if (!client_->submit(step.operation, step.key, 10 + number_, cookie(region, 0))) return 0;
        note_submitted(step);
        return 1;
    }
    std::size_t submit_each(std::span<Step const> steps) {
        std::size_t const count = client_->submit_each(steps.size(), [&](std::size_t at) {
            auto const is_before = [&](Step const& step) {
                return regions_->owner(step.key) == regions_->owner(steps[at].key);
            };
            auto const before = std::ranges::count_if(steps.first(at), is_before);
            return typename Client::Request{steps[at].operation, steps[at].key, 10 + number_ + at,
                                            cookie(regions_->owner(steps[at].key), static_cast<std::size_t>(before))};
        });
        for (Step const step : steps.first(count)) note_submitted(step);
        return count;
    }
    // What a table says that has seen all before.
    void note_submitted(Step step) {
        using enum Operation;
        std::uint64_t const value = 10 + number_++;
        auto const found = expected_.find(step.key);
        bool const is_there = found != expected_.end();
        std::uint64_t const before = is_there ? found->second : 0;
        Operation const what = step.operation;
        bool const is_yes = what == Insert || what == Upsert ? !is_there : is_there;
        if (what == Erase)
            expected_.erase(step.key);
        else if (what == Upsert || (what == Insert && !is_there) || (what == Update && is_there))
            expected_[step.key] = value;
        else if (what == Modify && is_there)
            expected_[step.key] = before + value;
        submitted_.at(regions_->owner(step.key)).push_back({step, is_yes ? TableResult::Yes : TableResult::No, before});
    }
    void check_kinds(auto const& batch) {
        WeakMemory& memory = WeakMemory::current();
        note(batch.size());
        memory.check(batch.size() != 0, "a batch of nothing");
        auto const all = [&](auto is) {
            for (std::size_t at = 0; at < batch.size(); ++at)
                if (!is(at)) return false;
            return true;
        };
        for (unsigned kind = 0; kind < 6; ++kind) {
            auto const what = static_cast<Operation>(kind);
            memory.check(batch.all_are(what) == all([&](std::size_t at) { return batch.operation(at) == what; }),
                         "all");
        }
        memory.check(batch.has_overwrites() == !all([&](std::size_t at) { return !overwrites(batch.operation(at)); }),
                     "overwrites");
        memory.check(batch.all_yes() == all([&](std::size_t at) { return batch.result(at) == TableResult::Yes; }),
                     "yes");
    }
    void complete(auto const& batch, std::size_t at) {
        WeakMemory& memory = WeakMemory::current();
        std::size_t const region = batch.cookie(at) / 1000;
        std::size_t const number = answered_.at(region)++;
        memory.check(batch.cookie(at) % 1000 == number, "not the order of submission");
        memory.check(number < submitted_.at(region).size(), "answered twice");
        Asked const& asked = submitted_.at(region).at(number);
        Operation const what = asked.step.operation;
        memory.check(batch.key(at) == asked.step.key && batch.operation(at) == what, "another operation");
        memory.check(batch.is_find(at) == (what == Operation::Find), "a find, or none");
        memory.check(batch.result(at) == asked.result, "another result");
        if ((what == Operation::Find || what == Operation::Modify) && asked.result == TableResult::Yes)
            memory.check(batch.value(at) == asked.found, "another value");
    }

    Regions* regions_ = nullptr;
    Batched<Regions>* batched_ = nullptr;
    Client* client_ = nullptr;
    std::array<End*, 3> ends_{}; // by core
    std::map<std::uint64_t, std::uint64_t> expected_;
    std::array<std::vector<Asked>, 2> submitted_; // by region
    std::array<std::size_t, 2> answered_{};
    std::uint64_t number_ = 0;
};

} // namespace mxk::test
