#include "spaces/mapping_database.hpp"

#include <array>
#include <atomic>
#include <optional>

#include "arch/translations.hpp"
#include "base/inject.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"

namespace mxk::mapping {
namespace {

// What was taken out of a record, with its lock held, until it is authoritative: that must not wait for a slice.
struct Batch {
    explicit Batch(Record& its_record)
        : record(its_record)
        , withdrawals(its_record.withdrawals) {
        hold_preemption();
        record.withdrawals.clear();
        record.in_flight.fetch_add(1, std::memory_order_relaxed);
    }
    ~Batch() {
        record.in_flight.fetch_sub(1, std::memory_order_release);
        release_preemption();
    }
    Batch(Batch const&) = delete;
    Batch& operator=(Batch const&) = delete;

    Record& record;
    Withdrawals withdrawals;
};

Error gone() {
    return Error("expected a mapping, got one that is gone");
}

} // namespace

Result<Mapping> MappingDatabase::place(Object& object, Mapping const* parent, std::size_t page, AddressSpace& space,
                                       std::uint64_t address, Rights rights) {
    PageTable::Entry& entry = *MXK_TRY(space.table().entry_for(address, object.description_.size));
    for (;;) {
        // With no lock held: this may wait for others.
        if (std::uint64_t const found = entry.load(std::memory_order_acquire); entry::is_withdrawn(found))
            coherence_.free_now(space, {address, space.tag(), &entry, found});
        Visit const visit(locking_, object.own_);
        MappingNode* from = nullptr;
        if (parent != nullptr) {
            from = object.tree_.find(*parent);
            if (from == nullptr) return gone();
            page = from->page;
        }
        if (page >= object.description_.pages) return Error::of("expected a page of the object, got {}", page);
        if (rights > (from != nullptr ? from->rights : object.description_.rights))
            return Error("expected no more rights than there are to hand on");
        MappingNode* const node = object.tree_.take();
        if (node == nullptr) return Error("no room for another mapping of the object");
        std::uint64_t before = entry::free;
        std::uint64_t const writable = rights == Rights::ReadWrite ? arch::translations::entry_writable : 0;
        std::uint64_t const made =
            arch::translations::page_entry(object.frame(page), level(object.description_.size)) | writable;
        // seq_cst, and acquire: nobody has what was there before.
        if (entry.compare_exchange_strong(before, made)) {
            node->space = &space;
            node->entry = &entry;
            node->address = address;
            node->page = static_cast<std::uint32_t>(page);
            node->rights = rights;
            object.tree_.insert(*node, from);
            return object.tree_.handle(*node);
        }
        object.tree_.give(*node);
        if (entry::is_present(before)) return Error::of("expected a free address, got 0x{:x}", address);
    }
}

Result<void> MappingDatabase::raise(Object& object, Mapping mapping) {
    Visit const visit(locking_, object.own_);
    MappingNode* const node = object.tree_.find(mapping);
    if (node == nullptr) return gone();
    Rights const max = node->parent != nullptr ? node->parent->rights : object.description_.rights;
    if (max == Rights::Read) return Error("expected no more rights than there are to hand on");
    node->rights = Rights::ReadWrite;
    // A core that has less faults once, and looks again.
    node->entry->fetch_or(arch::translations::entry_writable);
    return {};
}

// One step after the other, with the lock held, until there is none or the record is full; then with no lock held
// that is made authoritative.
template <typename OneStep> Result<void> MappingDatabase::withdraw(Object& object, Mapping mapping, OneStep one_step) {
    Record& record = locking_.record(object.own_);
    bool is_first = true;
    for (Step step = Step::More; step == Step::More; is_first = false) {
        std::optional<Batch> batch;
        {
            Visit const visit(locking_, object.own_);
            MappingNode* const top = object.tree_.find(mapping);
            if (top == nullptr && is_first) return gone();
            if (top == nullptr) return {}; // meanwhile somebody else has taken it away, with all below
            while (step == Step::More && !record.withdrawals.full()) step = one_step(object, *top, record.withdrawals);
            if (record.withdrawals.full()) batch.emplace(record);
        }
        if (batch) coherence_.make_authoritative(batch->withdrawals);
    }
    return {};
}

// The stamp is taken after the entry was changed.
void MappingDatabase::lower(MappingNode& node, Withdrawals& record) {
    node.rights = Rights::Read;
    node.entry->fetch_and(~arch::translations::entry_writable);
    inject::point();
    std::uint64_t const stamp = coherence_.stamp();
    record.add({node.address, node.space->tag(), nullptr, 0}, node.space->users(), stamp);
}

void MappingDatabase::remove(Object& object, MappingNode& leaf, Withdrawals& record) {
    std::uint64_t const mark = entry::withdrawn(coherence_.epoch());
    leaf.entry->exchange(mark);
    inject::point();
    std::uint64_t const stamp = coherence_.stamp();
    record.add({leaf.address, leaf.space->tag(), leaf.entry, mark}, leaf.space->users(), stamp);
    object.tree_.remove(leaf);
}

Result<void> MappingDatabase::protect(Object& object, Mapping mapping, Rights rights) {
    if (rights == Rights::ReadWrite) return raise(object, mapping);
    return withdraw(object, mapping, [this](Object&, MappingNode& top, Withdrawals& record) {
        for (MappingNode* node = &top; node != nullptr; node = DerivationTree::next(top, *node)) {
            if (node->rights == Rights::Read) continue;
            lower(*node, record);
            return Step::More;
        }
        return Step::Done;
    });
}

Result<void> MappingDatabase::revoke(Object& object, Mapping mapping) {
    return withdraw(object, mapping, [this](Object& its_object, MappingNode& top, Withdrawals& record) {
        MappingNode& leaf = DerivationTree::leaf_of(top);
        if (&leaf == &top) return Step::Done;
        remove(its_object, leaf, record);
        return Step::More;
    });
}

Result<void> MappingDatabase::unmap(Object& object, Mapping mapping) {
    return withdraw(object, mapping, [this](Object& its_object, MappingNode& top, Withdrawals& record) {
        MappingNode& leaf = DerivationTree::leaf_of(top);
        Step const step = &leaf == &top ? Step::Done : Step::More;
        remove(its_object, leaf, record);
        return step;
    });
}

// Of the places in front, those that the visit covers, as many as there is room for.
void MappingDatabase::unmap_those_of(Visit const& visit, std::span<Place const>& places, Withdrawals& withdrawn) {
    while (!places.empty() && visit.covers(places.front().object->own_) && !withdrawn.full()) {
        Object& object = *places.front().object;
        MappingNode* const top = object.tree_.find(places.front().mapping);
        MappingNode* const leaf = top != nullptr ? &DerivationTree::leaf_of(*top) : nullptr;
        if (leaf != nullptr) remove(object, *leaf, withdrawn);
        if (leaf == top) places = places.subspan(1);
    }
}

void MappingDatabase::unmap_all(std::span<Place const> places) {
    while (!places.empty()) {
        Withdrawals withdrawn;
        std::array<std::atomic<std::size_t>*, Withdrawals::capacity> in_flight{};
        std::size_t count = 0;
        hold_preemption(); // those in flight must not wait for a slice
        while (!places.empty() && count < in_flight.size() && !withdrawn.full()) {
            Visit const visit(locking_, places.front().object->own_);
            visit.in_flight().fetch_add(1, std::memory_order_relaxed);
            in_flight[count++] = &visit.in_flight();
            unmap_those_of(visit, places, withdrawn);
        }
        coherence_.make_authoritative(withdrawn);
        // release: pairs with settle()
        for (auto* const one : std::span(in_flight).first(count)) one->fetch_sub(1, std::memory_order_release);
        release_preemption();
    }
}

void MappingDatabase::settle(Object& object) {
    Record& record = locking_.record(object.own_);
    {
        std::optional<Batch> rest;
        {
            Visit const visit(locking_, object.own_);
            if (!record.withdrawals.empty()) rest.emplace(record);
        }
        if (rest) coherence_.make_authoritative(rest->withdrawals);
    }
    for (SpinWait wait; locking_.is_in_flight(object.own_); wait.turn()) coherence_.wait_turn();
}

std::size_t MappingDatabase::mappings(Object& object) {
    Visit const visit(locking_, object.own_);
    return object.tree_.size();
}

std::uint64_t MappingDatabase::lock_acquisitions(std::span<Object const> objects) const {
    std::uint64_t sum = locking_.shared_locks_taken();
    for (Object const& object : objects) sum += Locking::own_locks_taken(object.own_);
    return sum;
}

} // namespace mxk::mapping
