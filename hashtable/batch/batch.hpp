// Operations on one region of a table that travel together: a task with room for 64 of them. A client fills it on its
// core, the region's owner runs it in order, and it comes home with the results.
//
//     line 0       the task, its size, where it goes and whose it is; two bits for each result
//     line 1       two bits for each operation    written by the client, read by the owner
//     lines 2-9    keys                           the same
//     lines 10-17  values     of finds written by the owner, of what writes a value by the client
//     lines 20-    cookies    what the client wants to find again, if it wants to
//
// Keys and values stand apart: those of finds then move one way only, the keys to the owner and the values home.
//
// Two bits tell Insert, Find, Erase and a fourth apart, which overwrites: Update, Upsert or Modify, the same one in all
// of a batch. A client that needs another one of these sends the batch as it is and opens the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "hashtable/batch/two_bit_codes.hpp"
#include "hashtable/operation.hpp"
#include "tasks/task.hpp"

namespace mxk {

// Yes: inserted, found, erased, updated, modified. No: the key was there already (of an upsert: and has its value now),
// or was not there. Full: an insert or upsert found no place and there is no memory to make one; the table is as it
// was.
enum class TableResult : std::uint8_t { Yes, No, Full };

// Who sent a batch. The owner reads it and nobody writes it.
struct BatchHome {
    Task::Body arrived; // what runs there when the batch has come back
};

class Batch : public Task {
  public:
    static constexpr std::size_t capacity = 64;
    using Codes = TwoBitCodes<capacity>;

    Batch(BatchHome& client, CoreId home_core)
        : Task(nullptr, home_core)
        , client_(&client) {}

    // A completed batch at home: what was asked, in the order in which it was asked, and what came of it. `at` is less
    // than size().
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Operation operation(std::size_t at) const {
        std::uint64_t const code = operations_[at];
        return code == overwrite_code ? overwrite() : static_cast<Operation>(code);
    }
    [[nodiscard]] std::uint64_t key(std::size_t at) const { return keys_[at]; }
    [[nodiscard]] TableResult result(std::size_t at) const { return static_cast<TableResult>(results_[at]); }
    // operation(at) == Operation::Find, with fewer questions.
    [[nodiscard]] bool is_find(std::size_t at) const {
        return operations_[at] == static_cast<std::uint64_t>(Operation::Find);
    }
    [[nodiscard]] bool has_overwrites() const { return operations_.has(overwrite_code); }
    [[nodiscard]] bool all_yes() const { return results_.none(); }
    [[nodiscard]] bool all_are(Operation operation) const {
        if (overwrites(operation)) return operations_ == Codes::all(overwrite_code, size_) && overwrite() == operation;
        return operations_ == Codes::all(static_cast<std::uint64_t>(operation), size_);
    }
    // Of an insert, update or upsert what was to be written; of a find or modify with the result Yes what stood there;
    // else nothing.
    [[nodiscard]] std::uint64_t value(std::size_t at) const { return values_[at]; }

  private:
    template <typename Table> friend class BatchServer;
    template <typename Regions, typename Completed, typename Cookie, typename Pace> friend class BatchClient;

    static constexpr std::uint8_t overwrite_code = 3;
    // What that code stands for here.
    [[nodiscard]] Operation overwrite() const {
        return static_cast<Operation>(overwrite_ + static_cast<std::uint8_t>(Operation::Update));
    }
    // Finds, or what else writes values: overwrites count as such.
    [[nodiscard]] bool has_finds() const { return operations_.has(static_cast<std::uint64_t>(Operation::Find)); }

    std::uint32_t region_ : 22 = 0;
    std::uint32_t overwrite_ : 2 = 0; // counted from Update; of a batch that has some
    std::uint32_t size_ : 8 = 0;
    void* server_ = nullptr; // the region's BatchServer
    BatchHome* client_;
    Codes results_;
    alignas(cache_line_bytes) Codes operations_; // 0 beyond size_
    alignas(cache_line_bytes) std::array<std::uint64_t, capacity> keys_;
    std::array<std::uint64_t, capacity> values_;
};
static_assert(sizeof(Batch) == 18 * cache_line_bytes);

struct NoCookie {};

// A batch in which each operation carries something of the client's, which comes back with the result. Trivially
// copyable; its bytes travel, too.
template <typename Cookie> class CookieBatch : public Batch {
  public:
    using Batch::Batch;
    [[nodiscard]] Cookie cookie(std::size_t at) const { return cookies_[at]; }

  private:
    template <typename Regions, typename Completed, typename OfClient, typename Pace> friend class BatchClient;
    void put_cookie(std::size_t at, Cookie cookie) { cookies_[at] = cookie; }

    // Two lines apart from what the owner reads: its processor fetches the line behind as well, and took these away.
    alignas(2 * cache_line_bytes) std::array<Cookie, capacity> cookies_;
};

template <> class CookieBatch<NoCookie> : public Batch {
  public:
    using Batch::Batch;

  private:
    template <typename Regions, typename Completed, typename OfClient, typename Pace> friend class BatchClient;
    void put_cookie(std::size_t, NoCookie) {}
};

} // namespace mxk
