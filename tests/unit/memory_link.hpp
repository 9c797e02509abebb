// Links over memory between the endpoints of several ranks in one process: the bytes of a message are copied when it is
// sent, and again into a buffer of the receiver when it has offered one. tests/cluster/disturbed_link.hpp puts delays
// between.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/panic.hpp"
#include "tasks/remote/link.hpp"

namespace mxk::test {

// When a link says that a message has left: MPI does one or the other, by the message's size.
enum class Departure : std::uint8_t { WhenSent, WhenReceived };

// All links of a run.
class MemoryLinks {
    template <typename T> class Queue {
      public:
        void append(T item) {
            std::lock_guard const guard(lock_);
            items_.push_back(std::move(item));
            count_.store(items_.size(), std::memory_order_relaxed);
        }
        bool take(T& item) {
            if (count_.load(std::memory_order_relaxed) == 0) return false; // a hint: the lock orders
            std::lock_guard const guard(lock_);
            if (items_.empty()) return false;
            item = std::move(items_.front());
            items_.pop_front();
            count_.store(items_.size(), std::memory_order_relaxed);
            return true;
        }

      private:
        std::mutex lock_;
        std::deque<T> items_;
        std::atomic<std::size_t> count_{0};
    };
    struct Copy {
        std::vector<std::byte> bytes;
        remote::Message* original = nullptr; // whose sender is told now
    };

  public:
    class End final : public remote::Link {
      public:
        End(MemoryLinks& links, remote::Peer self)
            : links_(links)
            , self_(self)
            , on_the_way_(links.peers_) {}

        void send(remote::Peer to, remote::Message& message) override {
            expect(to != self_, "a link leads to another rank");
            auto const wire = message.wire();
            if (message.head().kind == remote::MessageKind::Request)
                max_on_the_way_ = std::max(max_on_the_way_, ++on_the_way_[to]);
            bool const has_left = links_.departure_ == Departure::WhenSent;
            links_.queue(self_, to).append({{wire.begin(), wire.end()}, has_left ? nullptr : &message});
            if (has_left) left_.append(&message);
        }
        remote::Message* sent() override {
            remote::Message* message = nullptr;
            return left_.take(message) ? message : nullptr;
        }
        void offer(remote::Message& buffer) override { offered_.push_back(&buffer); }
        // The peers have turns.
        remote::Message* received() override {
            if (offered_.empty()) return nullptr;
            for (remote::Peer i = 0; i < links_.peers_; ++i) {
                next_ = (next_ + 1) % links_.peers_;
                Copy copy;
                if (!links_.queue(next_, self_).take(copy)) continue;
                remote::Message& buffer = *offered_.front();
                offered_.pop_front();
                std::memcpy(buffer.room().data(), copy.bytes.data(), copy.bytes.size());
                buffer.peer = next_;
                if (buffer.head().kind == remote::MessageKind::Reply) --on_the_way_[next_];
                if (copy.original != nullptr) links_.ends_[next_]->left_.append(copy.original);
                return &buffer;
            }
            return nullptr;
        }

        // Up to how many requests to one peer had no reply that this end has received. When its core has
        // stopped.
        [[nodiscard]] std::uint32_t max_on_the_way() const { return max_on_the_way_; }

      private:
        friend MemoryLinks;
        MemoryLinks& links_;
        remote::Peer self_;
        remote::Peer next_ = 0;
        std::deque<remote::Message*> offered_;
        std::vector<std::uint32_t> on_the_way_;
        std::uint32_t max_on_the_way_ = 0;
        Queue<remote::Message*> left_;
    };

    MemoryLinks(remote::Peer peers, Departure departure)
        : peers_(peers)
        , departure_(departure)
        , queues_(std::size_t{peers} * peers) {
        for (remote::Peer peer = 0; peer < peers; ++peer) ends_.push_back(std::make_unique<End>(*this, peer));
    }

    [[nodiscard]] End& end(remote::Peer peer) { return *ends_[peer]; }

  private:
    Queue<Copy>& queue(remote::Peer from, remote::Peer to) { return queues_[std::size_t{from} * peers_ + to]; }

    remote::Peer peers_;
    Departure departure_;
    std::vector<Queue<Copy>> queues_;
    std::vector<std::unique_ptr<End>> ends_;
};

} // namespace mxk::test
