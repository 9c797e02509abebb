#include "bench/adaptive/mapped_space.hpp"

#include "spaces/access.hpp"

namespace mxk::bench {

using mapping::MappingDatabase;
using mapping::Rights;

void MappedSpace::add_object(mapping::DerivationTree tree, std::size_t part) {
    auto const start = arch::translations::address_of(&memory_[objects_.size() * pages_]);
    auto& object = objects_.emplace(mapping::MemoryObject::Description{.start = start, .pages = pages_, .part = part},
                                    std::move(tree));
    for (std::size_t page = 0; page < pages_; ++page) places_.emplace(&object, mapping::Mapping{});
}

bool MappedSpace::change(MappingDatabase& database, PageChange change, std::size_t page) {
    auto& [object, mapping] = places_[page];
    switch (change) {
    case PageChange::Map: {
        auto const made = database.map(*object, page % pages_, space_, address(page), Rights::ReadWrite);
        if (made) mapping = made.value();
        return made.ok();
    }
    case PageChange::Unmap: return database.unmap(*object, mapping).ok();
    case PageChange::GiveWriting: return database.protect(*object, mapping, Rights::ReadWrite).ok();
    case PageChange::Withdraw: return database.protect(*object, mapping, Rights::Read).ok();
    case PageChange::Settle: database.settle(*object); return true;
    case PageChange::WithdrawAndSettle: break;
    }
    return this->change(database, PageChange::Withdraw, page) && this->change(database, PageChange::Settle, page);
}

bool MappedSpace::change_all(MappingDatabase& database, PageChange change) {
    bool is_done = true;
    if (change == PageChange::Unmap) {
        database.unmap_all(places_.span());
    } else if (change == PageChange::WithdrawAndSettle) {
        is_done = change_all(database, PageChange::Withdraw);
        change_all(database, PageChange::Settle);
    } else {
        std::size_t const step = change == PageChange::Settle ? pages_ : 1; // settled is an object
        for (std::size_t page = 0; page < pages(); page += step)
            is_done = this->change(database, change, page) && is_done;
    }
    return is_done;
}

std::size_t MappedSpace::writable(std::size_t count) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += std::size_t{mapping::write(address(i), i)};
    return sum;
}

} // namespace mxk::bench
