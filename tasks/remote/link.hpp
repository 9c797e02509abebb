// The seam between an endpoint (endpoint.hpp) and what carries its messages: MPI (main/cluster/), memory, or something
// that delays them or loses a peer, for tests. A link keeps the order of messages from one peer to another, and loses
// none while both live. Used by one core at a time.
#pragma once

#include "tasks/remote/message.hpp"

namespace mxk::remote {

class Link {
  public:
    Link() = default;
    Link(Link const&) = delete;
    Link& operator=(Link const&) = delete;

    // Begins to send message.wire(); never blocks. The message stays as it is until sent() gives it back.
    virtual void send(Peer to, Message& message) = 0;
    // A message that has left; null: none, for now.
    virtual Message* sent() = 0;
    // Gives room for a message to come. As many as are offered may be waited for at a time.
    virtual void offer(Message& buffer) = 0;
    // One that has come, in an offered buffer, with its peer; null: none, for now.
    virtual Message* received() = 0;

  protected:
    ~Link() = default;
};

} // namespace mxk::remote
