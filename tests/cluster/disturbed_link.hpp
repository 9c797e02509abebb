// A link that makes the worst of what a link may do: messages wait for a random number of looks on both sides, those of
// different peers pass each other, what has left is said late, and from some moment on nothing passes any more. Two
// messages from one peer to another stay in their order, since a link keeps it. It also checks what an endpoint
// promises: a message that has been sent stays as it is until sent() has given it back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "base/crc32.hpp"
#include "base/panic.hpp"
#include "bench/workload/random.hpp"
#include "tasks/remote/link.hpp"

namespace mxk::test {

class DisturbedLink final : public remote::Link {
  public:
    // Lives as long as `inner` is used. The same seed makes the same delays, in looks.
    DisturbedLink(remote::Link& inner, std::uint64_t seed)
        : inner_(inner)
        , random_(splitmix(seed + 1)) {}

    void send(remote::Peer to, remote::Message& message) override {
        sums_[&message] = sum_of(message);
        outgoing_[to].push_back({&message, due()});
    }

    remote::Message* sent() override {
        look();
        while (remote::Message* const message = is_cut() ? nullptr : inner_.sent()) left_.push_back({message, due()});
        auto const ready =
            std::find_if(left_.begin(), left_.end(), [&](Held const& held) { return held.due <= looks_; });
        if (ready == left_.end()) return nullptr;
        remote::Message* const message = ready->message;
        left_.erase(ready);
        expect(sums_[message] == sum_of(*message), "a message stays as it is until it has left");
        sums_.erase(message);
        return message;
    }

    void offer(remote::Message& buffer) override {
        expect(!sums_.contains(&buffer), "a buffer is offered when what was sent in it has left");
        inner_.offer(buffer);
    }

    remote::Message* received() override {
        look();
        if (is_cut()) return nullptr;
        while (remote::Message* const message = inner_.received()) incoming_[message->peer].push_back({message, due()});
        // From a random peer on, so that no peer comes first.
        auto const count = incoming_.size();
        if (count == 0) return nullptr;
        auto at = incoming_.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_.below(count)));
        for (std::size_t i = 0; i < count; ++i, ++at) {
            if (at == incoming_.end()) at = incoming_.begin();
            auto& held = at->second;
            if (held.empty() || held.front().due > looks_) continue;
            remote::Message* const message = held.front().message;
            held.pop_front();
            return message;
        }
        return nullptr;
    }

    // From now on nothing passes, in any direction. Any thread.
    void cut() { is_cut_.store(true, std::memory_order_relaxed); }

  private:
    struct Held {
        remote::Message* message;
        std::uint64_t due; // the look at which it may pass
    };
    using ByPeer = std::map<remote::Peer, std::deque<Held>>;

    // Half of them pass at the next look, nearly all others soon, and one in 64 late.
    std::uint64_t due() {
        std::uint64_t const kind = random_.below(64);
        return looks_ + (kind < 32 ? 0 : kind < 63 ? random_.below(16) : random_.below(400));
    }
    [[nodiscard]] bool is_cut() const { return is_cut_.load(std::memory_order_relaxed); }

    void look() {
        ++looks_;
        if (is_cut()) return;
        for (auto& [peer, held] : outgoing_)
            for (; !held.empty() && held.front().due <= looks_; held.pop_front())
                inner_.send(peer, *held.front().message);
    }

    static std::uint32_t sum_of(remote::Message const& message) {
        auto const wire = message.wire();
        return crc32({reinterpret_cast<char const*>(wire.data()), wire.size()});
    }

    remote::Link& inner_;
    bench::Random random_;
    std::uint64_t looks_ = 0;
    ByPeer outgoing_;
    ByPeer incoming_;
    std::vector<Held> left_;
    std::map<remote::Message const*, std::uint32_t> sums_; // of those that have not left yet
    std::atomic<bool> is_cut_{false};                      // relaxed: when it is seen does not matter
};

} // namespace mxk::test
