// A call on a table of several ranks (rank_table.hpp) for a span of keys, by one core: the keys are sorted into a
// request for each core that has some of them, which leaves when it is full, and when there is no key left. As many are
// under way as the core has requests; their replies are put where the keys stood.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/panic.hpp"
#include "base/units.hpp"
#include "hashtable/remote/rank_table.hpp"
#include "tasks/worker.hpp"

namespace mxk::remote {

// What became of a call. `failed`: operations for which some rank had no memory; they have no effect.
struct CallResult {
    std::size_t changed = 0; // found, inserted, updated or erased
    std::size_t failed = 0;
};

// Its core only. Stays where it is until it has ended.
template <typename Key, typename Value> class TableCall {
    using Of = RankTable<Key, Value>;

  public:
    // `given`: values to be written; `found`: where those found go. `mask`: empty, or a bit for each key, which is set
    // where it was found, inserted, updated or erased.
    TableCall(Of& table, TableOperation operation, std::span<Key const> keys, Value const* given, Value* found,
              std::span<std::uint64_t> mask)
        : table_(table)
        , operation_(operation)
        , keys_(keys)
        , given_(given)
        , found_(found)
        , mask_(mask)
        , room_(table.room(operation))
        , open_(table.network().cores_of_all()) {
        for (std::uint64_t& word : mask_.first(mask.empty() ? 0 : Of::Local::mask_words(keys.size()))) word = 0;
    }
    TableCall(TableCall const&) = delete;
    TableCall& operator=(TableCall const&) = delete;
    ~TableCall() { expect(is_over(), "a call has ended"); }

    [[nodiscard]] bool is_over() const { return at_ == keys_.size() && under_way_ == 0; }
    [[nodiscard]] CallResult result() const { return result_; }

    // Sends as much as there are requests for. Whether it is over. Replies are tasks of this core: what waits for them
    // need not ask again before one has run (Worker::run_until).
    bool advance(Worker& here) {
        if (at_ != keys_.size() && send_some(here)) send_all(here);
        return is_over();
    }

  private:
    struct Open {
        Request* request = nullptr;
        std::size_t count = 0;
    };

    // Whether all keys are in requests.
    bool send_some(Worker& here) {
        for (; at_ < keys_.size(); ++at_) {
            std::uint32_t const owner = table_.owner(keys_[at_]);
            Open& open = open_[owner];
            if (open.request == nullptr && !begin(here, open, owner)) return false;
            Request& request = *open.request;
            std::byte* const payload = request.payload();
            std::memcpy(payload + open.count * sizeof(Key), &keys_[at_], sizeof(Key));
            if (given_ != nullptr)
                std::memcpy(payload + Of::values_at(room_) + open.count * sizeof(Value), &given_[at_], sizeof(Value));
            request.notes<std::uint32_t>()[open.count] = static_cast<std::uint32_t>(at_);
            if (++open.count == room_) send(here, open);
        }
        return true;
    }

    bool begin(Worker& here, Open& open, std::uint32_t owner) {
        Network& network = table_.network();
        Request* request = network.take_request(here);
        if (request == nullptr) {
            // What is being filled may be all that there is.
            if (under_way_ == 0) send_all(here);
            return false;
        }
        request->target = network.core_of(owner);
        request->replied = &TableCall::replied;
        request->sender = this;
        open = {request, 0};
        return true;
    }

    void send_all(Worker& here) {
        for (Open& open : open_)
            if (open.request != nullptr) send(here, open);
    }

    void send(Worker& here, Open& open) {
        Request& request = *std::exchange(open.request, nullptr);
        std::size_t size = open.count * sizeof(Key);
        if (given_ != nullptr) {
            std::byte* const payload = request.payload();
            size = Of::values_at(open.count);
            std::memmove(payload + size, payload + Of::values_at(room_), open.count * sizeof(Value));
            size += open.count * sizeof(Value);
        }
        MessageHead& head = request.head();
        head.size = static_cast<std::uint32_t>(size);
        head.count = static_cast<std::uint16_t>(open.count);
        head.service = table_.service();
        head.operation = static_cast<std::uint8_t>(operation_);
        ++under_way_;
        table_.network().send(here, request);
    }

    static void replied(Worker& here, Request& request, Message const& reply) {
        auto& self = *static_cast<TableCall*>(request.sender);
        self.take(request, reply);
        self.table_.network().give_back(here, request);
        --self.under_way_;
    }

    void take(Request& request, Message const& reply) {
        std::size_t const count = reply.head().count;
        std::byte const* const payload = reply.payload();
        auto const* const places = request.notes<std::uint32_t>();
        std::size_t const words = Of::Local::mask_words(count);
        bool const finds = operation_ == TableOperation::Find;
        auto const* const bits = reinterpret_cast<std::uint64_t const*>(payload + (finds ? 0 : sizeof(Changed)));
        if (!finds) {
            Changed changed{};
            std::memcpy(&changed, payload, sizeof changed);
            result_.changed += changed.changed;
            result_.failed += count - changed.done;
            if (mask_.empty()) return;
        }
        auto const* const values =
            reinterpret_cast<Value const*>(payload + align_up(words * sizeof(std::uint64_t), Of::value_alignment));
        for (std::size_t word = 0; word < words; ++word)
            for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
                std::size_t const at = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
                std::uint32_t const place = places[at];
                if (finds) {
                    found_[place] = values[at];
                    ++result_.changed;
                }
                if (!mask_.empty()) mask_[place / 64] |= std::uint64_t{1} << place % 64;
            }
    }

    Of& table_;
    TableOperation operation_;
    std::span<Key const> keys_;
    Value const* given_;
    Value* found_;
    std::span<std::uint64_t> mask_;
    std::size_t room_;
    std::vector<Open> open_; // by owner
    std::size_t at_ = 0;     // the first key that is in no request
    std::size_t under_way_ = 0;
    CallResult result_{};
};

} // namespace mxk::remote
