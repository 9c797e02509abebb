// What calls promise to a region of a bulk table while a holder of its lock puts keys, or makes the region smaller: the
// keys that there are and were promised never exceed what its buckets are for.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hashtable/bulk/promised_room.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/model_memory.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

class RoomUse {
  public:
    // Each caller promises so many keys; the first thread holds the lock.
    ProtocolUse use(std::string name, std::size_t limit, void (*hold)(PromisedRoom& room),
                    std::vector<std::size_t> const& callers) {
        ModelProgram program;
        program.begin = [this, limit] {
            room_ = ModelMemory::make<PromisedRoom>();
            room_->open(limit);
        };
        program.threads.emplace_back([this, hold] { hold(*room_); });
        for (std::size_t const keys : callers)
            program.threads.emplace_back([this, keys] { note(room_->try_promise(keys) ? 1 : 0); });
        program.end = [this] {
            note(room_->wanted());
            note(room_->limit());
            WeakMemory::current().check(room_->wanted() <= room_->limit(), "more was promised than fits");
        };
        return {std::move(name), std::move(program)};
    }

  private:
    PromisedRoom* room_ = nullptr;
};

// Half as large, if what there is fits.
void make_smaller(PromisedRoom& room) {
    std::size_t const before = room.limit();
    room.close();
    room.open(room.wanted() <= before / 2 ? before / 2 : before);
}
// Two that it promises first, as calls do that need the lock.
void put_two(PromisedRoom& room) {
    room.promise(2);
    if (room.wanted() <= room.limit()) {
        room.add_key();
        room.add_key();
    }
    room.take_back(2);
}
void erase_one(PromisedRoom& room) {
    put_two(room);
    if (room.size() != 0) room.remove_key();
}
void clear(PromisedRoom& room) {
    put_two(room);
    room.remove_all();
    make_smaller(room);
}

TEST(Model, Room) {
    RoomUse room;
    Protocol("room")
        .use(room.use("made smaller", 4, &make_smaller, {3}))
        .use(room.use("made smaller, two callers", 4, &make_smaller, {1, 2}))
        .use(room.use("two are put", 3, &put_two, {2}))
        .use(room.use("two are put, two callers", 5, &put_two, {2, 2}))
        .use(room.use("put and erased", 3, &erase_one, {2}))
        .use(room.use("all erased", 4, &clear, {3}))
        .check({"promised_room,"}, {{"promised_room, try_promise() condition 1: never", "it fails a little later"}});
}

} // namespace
} // namespace mxk::test
