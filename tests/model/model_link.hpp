// What carries messages between two ranks under the model checker: letters, first in, first out, and waves, each of
// which asks both ranks for their sums. As with MPI, a wave may overtake letters, and letters waves. A rank that finds
// nothing and has nothing else to do waits here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

#include "base/spin_wait.hpp"
#include "tasks/remote/link.hpp"
#include "tasks/remote/network.hpp"
#include "tasks/remote/termination.hpp"
#include "tasks/worker.hpp"
#include "tests/model/atomic.hpp"

namespace mxk::test {

class ModelLink final : public remote::Link {
  public:
    // When a message that was sent has left: at once; when something has come, or the rank has nothing else to do; or
    // not before the other rank has received it, as with messages that MPI keeps no copy of.
    enum class Leaves : std::uint8_t { AtOnce, Late, Received };
    // `waves_are_late`: it sees those only then, too.
    ModelLink(remote::Peer peer, std::uint32_t credits, Leaves leaves, bool waves_are_late = false)
        : peer_(peer)
        , credits_(credits)
        , leaves_(leaves)
        , waves_are_late_(waves_are_late) {}
    // Both, in begin().
    static void connect(ModelLink& one, ModelLink& other) {
        one.sent_ = other.received_ = ModelMemory::make<Letter>();
        other.sent_ = one.received_ = ModelMemory::make<Letter>();
        one.own_waves_ = other.others_waves_ = ModelMemory::make<Waves>();
        other.own_waves_ = one.others_waves_ = ModelMemory::make<Waves>();
    }

    void send(remote::Peer to, remote::Message& message) override {
        WeakMemory::current().check(to == peer_, "a message for a rank that is not there");
        WeakMemory::current().check(message.wire().size() <= remote::Message::wire_bytes, "a message without end");
        if (message.head().kind == remote::MessageKind::Request)
            WeakMemory::current().check(++unanswered_ <= credits_, "more requests under way than credits");
        else
            WeakMemory::current().check(replies_++ < requests_, "a reply without a request");
        Letter& letter = *ModelMemory::make<Letter>();
        letter.size = message.wire().size();
        std::memcpy(letter.bytes.data(), message.wire().data(), letter.size);
        leaving_.push_back({&message, &letter});
        may_leave_ = leaves_ != Leaves::Late;
        sent_->next.store(&letter, std::memory_order_release);
        sent_ = &letter;
    }
    remote::Message* sent() override {
        if (leaving_.empty() || !may_leave_) return nullptr;
        auto const [message, letter] = leaving_.front();
        if (leaves_ == Leaves::Received && !letter->is_received.load(std::memory_order_acquire)) return nullptr;
        leaving_.pop_front();
        return message;
    }
    void offer(remote::Message& buffer) override { offered_.push_back(&buffer); }
    remote::Message* received() override {
        WeakMemory::current().check(!is_closed_ && received_ != nullptr, "an endpoint looks that need not");
        Letter* const letter = offered_.empty() ? nullptr : received_->next.load(std::memory_order_acquire);
        if (letter == nullptr) {
            find_nothing();
            return nullptr;
        }
        received_ = letter;
        if (leaves_ == Leaves::Received) letter->is_received.store(true, std::memory_order_release);
        remote::Message& buffer = *offered_.front();
        offered_.pop_front();
        std::memcpy(buffer.room().data(), letter->bytes.data(), letter->size);
        buffer.peer = peer_;
        if (buffer.head().kind == remote::MessageKind::Request)
            ++requests_;
        else
            WeakMemory::current().check(unanswered_-- != 0, "a request is answered twice");
        may_leave_ = true;
        return &buffer;
    }

    // What the other rank learns in this wave. Its answer is there when awaits_wave() is false.
    void begin_wave(remote::PostedAndEnded const& own) {
        std::uint64_t const word = own.posted << 32 | own.ended << 1 | 1;
        own_waves_->at(wave_++).store(word, std::memory_order_relaxed);
        awaits_wave_ = true;
    }
    [[nodiscard]] bool awaits_wave() const { return awaits_wave_; }
    [[nodiscard]] remote::PostedAndEnded const& others() const { return others_; }

    // Nobody looks any more.
    void close() { is_closed_ = true; }

    [[nodiscard]] std::uint32_t replies() const { return replies_; }
    [[nodiscard]] std::size_t offered() const { return offered_.size(); }
    // Requests that have not been answered, and what has not left.
    [[nodiscard]] std::size_t under_way() const { return unanswered_ + leaving_.size(); }
    // Alone.
    [[nodiscard]] bool has_letter() const { return received_->next.load(std::memory_order_relaxed) != nullptr; }

  private:
    struct Letter {
        std::array<std::byte, remote::Message::wire_bytes> bytes;
        std::size_t size = 0;
        ModelAtomic<Letter*> next{nullptr};
        ModelAtomic<bool> is_received{false};
    };
    struct Leaving {
        remote::Message* message;
        Letter* letter;
    };
    using Waves = std::array<ModelAtomic<std::uint64_t>, 8>;

    void find_nothing() {
        if (awaits_wave_ && !(waves_are_late_ && Worker::current().has_others())) {
            if (std::uint64_t const word = others_waves_->at(wave_ - 1).load(std::memory_order_relaxed); word != 0) {
                others_ = {.posted = word >> 32, .ended = (word & 0xffff'ffff) >> 1};
                awaits_wave_ = false;
                return;
            }
        }
        if (Worker::current().has_others()) return;
        if (!leaving_.empty() && !may_leave_) {
            may_leave_ = true;
            return;
        }
        if (leaving_.empty() || leaves_ == Leaves::Received) SpinWait().turn();
    }

    remote::Peer peer_;
    std::uint32_t credits_;
    Leaves leaves_;
    bool waves_are_late_;
    Letter* sent_ = nullptr;     // the last one
    Letter* received_ = nullptr; // the same
    Waves* own_waves_ = nullptr;
    Waves* others_waves_ = nullptr;
    std::size_t wave_ = 0; // that have begun
    remote::PostedAndEnded others_;
    std::deque<Leaving> leaving_;
    std::deque<remote::Message*> offered_;
    std::uint32_t unanswered_ = 0; // own requests
    std::uint32_t requests_ = 0;   // that have come
    std::uint32_t replies_ = 0;    // that were sent
    bool may_leave_ = true;
    bool awaits_wave_ = false;
    bool is_closed_ = false;
};

struct ModelFlag : Task {
    ModelFlag()
        : Task([](Worker&, Task& task) { static_cast<ModelFlag&>(task).is_set = true; }) {}
    bool is_set = false;
};
// The core takes what has come, and runs all of it.
inline void run_round(Worker& here) {
    ModelFlag& round = *ModelMemory::make<ModelFlag>();
    here.when_round(round);
    here.run_until([&] { return round.is_set; });
}

// As a cluster does: when all that was sent has come back.
inline void end_network(Worker& here, remote::Network& network, ModelLink& link, remote::Rank other) {
    here.run_until([&] { return network.in_flight_to(other) == 0; });
    link.begin_wave({});
    here.run_until([&] { return !link.awaits_wave(); });
    network.end();
    link.close();
    run_round(here);
}

} // namespace mxk::test
