// A lock that is given the section and not the core: users queue requests, and the first of them executes those of the
// others, too, up to a number, so that what the sections change stays in one cache. First come, first served.
// (P. Fatourou and N. Kallimanis, Revisiting the Combining Synchronization Technique, PPoPP 2012: CC-Synch.) For one
// memory only. What a section does it does on another core, while its user waits: it must not wait for a lock that is
// held by its user, nor ask which core it runs on.
//
//     tail ----------------------------------------------.
//     combiner's request -> waiting requests' -> ... -> empty record, for the next user
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/spin_wait.hpp"
#include "locks/fabric/lock_records.hpp"

namespace mxk::locks {

class DelegationLock {
    // In a line that goes from user to user (lock_records.hpp).
    struct Request {
        std::atomic<Request*> next{nullptr};
        std::atomic<bool> waits{false};
        bool is_done = false; // written before `waits` is cleared
        void (*execute)(void* section) = nullptr;
        void* section = nullptr;
    };
    static_assert(sizeof(Request) <= sizeof(LockLine));
    static constexpr std::uint32_t max_combined = 64;

  public:
    DelegationLock() {
        arch::hold_core();
        tail_.store(make_request(false), std::memory_order_relaxed);
        arch::release_core();
    }
    ~DelegationLock() {
        arch::hold_core();
        give_back(tail_.load(std::memory_order_acquire));
        arch::release_core();
    }
    DelegationLock(DelegationLock const&) = delete;
    DelegationLock& operator=(DelegationLock const&) = delete;

    // Returns when section() has been called, alone: here, or by another user on its core. Tasks and threads, which are
    // not preempted meanwhile; not in interrupt handlers.
    template <typename Section> void run(Section& section) {
        arch::hold_core();
        wait_for([](void* it) { (*static_cast<Section*>(it))(); }, &section);
        arch::release_core();
    }

  private:
    static Request* make_request(bool waits) {
        auto* const request = new (static_cast<void*>(take_line())) Request;
        request->waits.store(waits, std::memory_order_relaxed);
        return request;
    }
    static void give_back(Request* request) { give_line(new (static_cast<void*>(request)) LockLine{}); }

    void wait_for(void (*execute)(void*), void* section) {
        Request* const empty = make_request(true);
        // acq_rel: release publishes the empty record; acquire that of the user before
        Request* const own = tail_.exchange(empty, std::memory_order_acq_rel);
        own->execute = execute;
        own->section = section;
        inject::point();
        own->next.store(empty, std::memory_order_release); // pairs with combine()
        // acquire: pairs with combine(), which publishes what all sections before did
        for (SpinWait wait; own->waits.load(std::memory_order_acquire);) wait.turn();
        if (!own->is_done) combine(own);
        give_back(own);
    }
    void combine(Request* request) {
        for (std::uint32_t combined = 0; combined < max_combined; ++combined) {
            Request* const next = request->next.load(std::memory_order_acquire); // pairs with wait_for()
            if (next == nullptr) break; // an empty record, or one whose user is still to fill it in: that one goes on
            request->execute(request->section);
            request->is_done = true;
            inject::point();
            // The combiner's own request goes back to it, all others' to their users.
            request->waits.store(false, std::memory_order_release);
            request = next;
        }
        request->waits.store(false, std::memory_order_release);
    }

    std::atomic<Request*> tail_{nullptr};
};

} // namespace mxk::locks
