// One rank's part of a table that is cut over all cores of several ranks: a bulk table of its own (bulk_table.hpp), and
// the service that applies what others ask of it. A key's hash says which rank has it, and which core of that rank
// answers for it; what is asked of one core is done in the order in which one core asked.
//
//     request   keys, and values where there are any; reply: a bit for each key, and what was found, or how many of
//     the operations were done
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/units.hpp"
#include "hashtable/bulk/bulk_table.hpp"
#include "hashtable/fraction.hpp"
#include "tasks/remote/network.hpp"

namespace mxk::remote {

enum class TableOperation : std::uint8_t { Find, Insert, Upsert, Update, Erase };

constexpr bool brings_values(TableOperation operation) {
    return operation != TableOperation::Find && operation != TableOperation::Erase;
}

// Ahead of the bits, in the reply to what changes.
struct Changed {
    std::uint32_t done; // the first ones; there was no memory for the others
    std::uint32_t changed;
};

// Keys and values are copied as bytes, so both are plain.
template <typename Key, typename Value> class RankTable {
    static_assert(PlainKey<Key>, "keys of a table of several ranks can be copied as bytes");
    using KeyOf = TableKey<Key>;

  public:
    using Local = Table<Key, Value>;
    static constexpr std::size_t value_alignment = 16;
    static_assert(alignof(Key) <= value_alignment && alignof(Value) <= value_alignment);

    // Of `ranks`, the first ones, which take part. The same on all ranks, in the same order.
    RankTable(Network& network, Local local, Rank ranks)
        : network_(network)
        , local_(std::move(local))
        , ranks_(ranks)
        , service_(network.add_service(&RankTable::serve, this)) {
        expect(room(TableOperation::Find) > 0 && room(TableOperation::Insert) > 0, "a message has room for a key");
    }
    ~RankTable() { network_.remove_service(service_); }
    RankTable(RankTable const&) = delete;
    RankTable& operator=(RankTable const&) = delete;

    [[nodiscard]] Network& network() const { return network_; }
    [[nodiscard]] std::uint16_t service() const { return service_; }
    [[nodiscard]] Local& local() { return local_; }
    [[nodiscard]] Local const& local() const { return local_; }
    [[nodiscard]] Rank ranks() const { return ranks_; }
    void set_ranks(Rank ranks) { ranks_ = ranks; }

    // Whose it is: a number of Network::core_of(). A part's regions are the high bits of the hash, and so is the core;
    // the rank is of all bits, so that each rank's keys spread over all its regions.
    [[nodiscard]] std::uint32_t owner(Key const& key) const { return owner(key, ranks_); }
    [[nodiscard]] std::uint32_t owner(Key const& key, Rank ranks) const {
        std::uint64_t const hash = KeyOf::hash(KeyOf::word(key));
        std::uint32_t const cores = network_.shape().cores;
        auto const rank = static_cast<std::uint32_t>(high_product(hash * golden_ratio, ranks));
        return rank * cores + (cores == 1 ? 0U : static_cast<std::uint32_t>(high_product(hash, cores)));
    }

    // How many operations a request takes.
    [[nodiscard]] std::size_t room(TableOperation operation) const {
        std::size_t const bytes = network_.limits().fill - sizeof(MessageHead) - value_alignment;
        // The reply to a find has values and bits.
        std::size_t const of_one = sizeof(Key) + (brings_values(operation) ? sizeof(Value) : 0);
        std::size_t const of_reply = operation == TableOperation::Find ? sizeof(Value) + 1 : 1;
        std::size_t const by_notes = Request::note_bytes / sizeof(std::uint32_t);
        return std::min({bytes / of_one, bytes / of_reply, by_notes});
    }
    // Where values begin behind so many keys.
    static constexpr std::size_t values_at(std::size_t keys) { return align_up(keys * sizeof(Key), value_alignment); }

  private:
    static std::size_t serve(void* object, Asked const& asked) {
        auto& self = *static_cast<RankTable*>(object);
        std::size_t const count = asked.count;
        std::span const keys(reinterpret_cast<Key const*>(asked.payload.data()), count);
        auto const operation = static_cast<TableOperation>(asked.operation);
        std::size_t const words = Local::mask_words(count);
        if (operation == TableOperation::Find) {
            std::span const mask(reinterpret_cast<std::uint64_t*>(asked.answer), words);
            std::size_t const at = align_up(words * sizeof(std::uint64_t), value_alignment);
            std::span const values(reinterpret_cast<Value*>(asked.answer + at), count);
            self.local_.find(keys, values, mask);
            return at + values.size_bytes();
        }
        std::span const mask(reinterpret_cast<std::uint64_t*>(asked.answer + sizeof(Changed)), words);
        std::size_t const at = values_at(count);
        std::span<Value const> values;
        if (brings_values(operation)) {
            expect(asked.payload.size() == at + count * sizeof(Value), "a request brings a value for each key");
            values = {reinterpret_cast<Value const*>(asked.payload.data() + at), count};
        }
        BulkResult const result = self.apply(operation, keys, values, mask);
        Changed const changed{static_cast<std::uint32_t>(result.done), static_cast<std::uint32_t>(result.changed)};
        std::memcpy(asked.answer, &changed, sizeof changed);
        return sizeof changed + mask.size_bytes();
    }

    BulkResult apply(TableOperation operation, std::span<Key const> keys, std::span<Value const> values,
                     std::span<std::uint64_t> mask) {
        switch (operation) {
        case TableOperation::Insert: return local_.insert(keys, values, mask);
        case TableOperation::Upsert: return local_.upsert(keys, values, mask);
        case TableOperation::Update: return local_.update(keys, values, mask);
        case TableOperation::Erase:
        case TableOperation::Find: break;
        }
        return local_.erase(keys, mask);
    }

    Network& network_;
    Local local_;
    Rank ranks_;
    std::uint16_t service_;
};

} // namespace mxk::remote
