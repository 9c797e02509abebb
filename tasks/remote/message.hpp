// What travels between ranks: a request of one core to another one's, or the reply to it. A message is a task, so that
// on both sides it goes from core to core through the queues that are there, and nothing is allocated on its way.
//
//     request   its sender's pool -> the sender's endpoint -> (link) ...                      -> sender's pool
//     buffer    the receiver's endpoint -> the core it is for, which answers in it -> endpoint -> (link)
//     reply     a buffer of the sender's endpoint -> the core that asked -> endpoint
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/panic.hpp"
#include "tasks/task.hpp"

namespace mxk::remote {

// A process of the run, from 0.
using Rank = std::uint32_t;
// An end of a link: ranks have one each, or one for each of their cores (network.hpp).
using Peer = std::uint32_t;

// A core of the run.
struct GlobalCore {
    Rank rank = 0;
    CoreId core{};

    bool operator==(GlobalCore const&) const = default;
};

enum class MessageKind : std::uint8_t { Request, Reply };

// Ahead of the payload. All ranks run the same program on the same kind of processor, so it is copied as it is.
struct MessageHead {
    std::uint32_t number;  // of the request, among those of its endpoint that have no reply yet
    std::uint32_t size;    // of the payload, in bytes
    std::uint16_t core;    // which of the receiver's it is for
    std::uint16_t count;   // of operations
    std::uint16_t service; // which understands the payload
    std::uint8_t operation;
    MessageKind kind;
};
static_assert(sizeof(MessageHead) == 16);

class Network;
class Request;

class Message : public Task {
  public:
    static constexpr std::size_t wire_bytes = 16384;
    static constexpr std::size_t payload_bytes = wire_bytes - sizeof(MessageHead);

    explicit Message(Network& its_network)
        : Task(nullptr)
        , network(its_network) {}
    Message(Message const&) = delete;
    Message& operator=(Message const&) = delete;

    [[nodiscard]] MessageHead const& head() const { return *reinterpret_cast<MessageHead const*>(wire_.data()); }
    MessageHead& head() { return *reinterpret_cast<MessageHead*>(wire_.data()); }
    [[nodiscard]] std::byte* payload() { return wire_.data() + sizeof(MessageHead); }
    [[nodiscard]] std::byte const* payload() const { return wire_.data() + sizeof(MessageHead); }
    // As much as its head says.
    [[nodiscard]] std::span<std::byte const> wire() const {
        return std::span(wire_).first(sizeof(MessageHead) + head().size);
    }
    [[nodiscard]] std::span<std::byte> room() { return wire_; }

    Network& network;
    Peer peer = 0;              // at the other end of the link; of a buffer: of the endpoint's own
    Request* request = nullptr; // of a reply

  private:
    alignas(cache_line_bytes) std::array<std::byte, wire_bytes> wire_{};
};

// A message that its sender fills, and gets back with the reply.
class Request final : public Message {
  public:
    using Message::Message;

    // On the core that sent it, when the reply is there. The request is the caller's again.
    using Replied = void (*)(Worker& here, Request& request, Message const& reply);

    GlobalCore target{};
    Replied replied = nullptr;
    void* sender = nullptr; // for `replied`
    // The endpoint's: it may be filled again when both have happened.
    bool has_left = false;
    Message* reply = nullptr;

    // What the sender notes for each operation, which is not sent: 32-bit places, or pointers.
    static constexpr std::size_t note_bytes = 8192;
    template <typename Note> Note* notes() { return reinterpret_cast<Note*>(notes_.data()); }

  private:
    alignas(cache_line_bytes) std::array<std::byte, note_bytes> notes_{};
};

} // namespace mxk::remote
