// A lock of a registered kind, with a node for each of its users, for tests that do not know its type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "locks/lock_kind.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class MadeLock {
  public:
    // `site`: of the form's fabric. Fails the test if there is no memory.
    MadeLock(locks::LockForm const& form, void const* site, std::size_t users)
        : form_(form)
        , users_(users)
        , node_bytes_(align_up(form.node_bytes, cache_line_bytes))
        , lock_(NodeArray<std::byte>::create(form.bytes, Worker::current().node()))
        , nodes_(NodeArray<std::byte>::create(users * node_bytes_, Worker::current().node())) {
        MXK_CHECK(lock_.ok() && nodes_.ok());
        if (!is_there()) return;
        form_.construct(lock_.value().data(), site);
        for (std::size_t user = 0; user < users_; ++user) form_.construct_node(node(user));
    }
    ~MadeLock() {
        if (!is_there()) return;
        for (std::size_t user = 0; user < users_; ++user) form_.destroy_node(node(user));
        form_.destroy(lock_.value().data());
    }
    MadeLock(MadeLock const&) = delete;
    MadeLock& operator=(MadeLock const&) = delete;

    [[nodiscard]] bool is_there() const { return lock_.ok() && nodes_.ok(); }
    void lock(std::size_t user) { form_.lock(lock_.value().data(), node(user)); }
    // Of a form that has it.
    bool lock_unless(std::size_t user, bool (*give_up)(void*), void* argument) {
        return form_.lock_unless(lock_.value().data(), node(user), give_up, argument);
    }
    void unlock(std::size_t user) { form_.unlock(lock_.value().data(), node(user)); }
    [[nodiscard]] locks::LockCounts counts(std::size_t user) const { return form_.counts(node(user)); }

  private:
    [[nodiscard]] void* node(std::size_t user) const { return nodes_.value().data() + user * node_bytes_; }

    locks::LockForm const& form_;
    std::size_t users_;
    std::size_t node_bytes_;
    Result<NodeArray<std::byte>> lock_;
    Result<NodeArray<std::byte>> nodes_;
};

} // namespace mxk
