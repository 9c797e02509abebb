#include "kernel/memory/core_pool.hpp"

#include <utility>

#include "base/refusal.hpp"

namespace mxk {

void* CorePool::take_more(Size& size) {
    if (size.aside != nullptr) {
        size.freed = std::exchange(size.aside, nullptr);
        size.count = max_kept / 2 - 1;
        FreeObject* const object = size.freed;
        size.freed = object->next;
        return object;
    }
    if (inject::refuses_memory()) return nullptr;
    void* const object = heap_.allocate(bytes_of(size), smallest_bytes);
    if (object != nullptr) ++size.from_heap;
    return object;
}

void CorePool::put_aside(Size& size) {
    give_back(size, std::exchange(size.aside, std::exchange(size.freed, nullptr)));
    size.count = 0;
}

void CorePool::give_back(Size& size, FreeObject* list) {
    while (list != nullptr) {
        FreeObject* const object = std::exchange(list, list->next);
        heap_.deallocate(object, bytes_of(size), smallest_bytes);
        --size.from_heap;
    }
}

std::int64_t CorePool::in_use() const {
    std::int64_t in_use = 0;
    for (Size const& size : sizes_) in_use += size.from_heap - size.count - (size.aside != nullptr ? max_kept / 2 : 0);
    return in_use;
}

void CorePool::trim() {
    for (Size& size : sizes_) {
        give_back(size, std::exchange(size.freed, nullptr));
        give_back(size, std::exchange(size.aside, nullptr));
        size.count = 0;
    }
}

} // namespace mxk
