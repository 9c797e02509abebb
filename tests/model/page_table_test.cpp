// Page tables: cores make entries at the same time, and all find the same tables; what is given back is given to the
// next one.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arch/translations.hpp"
#include "base/spin_lock.hpp"
#include "kernel/memory/mapping/page_table.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using mapping::PageSize;
using mapping::PageTable;
namespace entry = mapping::entry;

class PageTableUse {
  public:
    struct Page {
        std::size_t number; // in pages of the size
        PageSize size = PageSize::Small;
    };

    // Each thread puts its pages where they are free. `is_withdrawn`: a large page was there, and may still be in TLBs.
    ProtocolUse use(std::string name, std::vector<std::vector<Page>> const& pages, bool is_withdrawn = false) {
        ModelProgram program;
        program.begin = [this, is_withdrawn] {
            make_model_node(model_node_bytes);
            table_ = ModelMemory::make<PageTable>(PageTable::create(NodeId{}).value());
            done_ = {};
            if (is_withdrawn) entry_of({0, PageSize::Large}).value()->store(entry::withdrawn(1));
        };
        for (std::size_t i = 0; i < pages.size(); ++i)
            program.threads.emplace_back([this, i, mine = pages[i]] {
                for (Page const& page : mine) put(i, page);
            });
        program.end = [this] {
            note(table_->tables());
            for (auto const& all : done_)
                for (auto const& [page, value] : all)
                    WeakMemory::current().check(entry_of(page).value()->load() == value, "a page is lost");
        };
        return {std::move(name), std::move(program)};
    }

  private:
    [[nodiscard]] Result<PageTable::Entry*> entry_of(Page const& page) {
        return table_->entry_for(arch::translations::window_base + page.number * mapping::bytes(page.size), page.size);
    }
    void put(std::size_t thread, Page const& page) {
        auto const found = entry_of(page);
        note(found.ok() ? 1 : 0);
        if (!found.ok()) return;
        std::uint64_t before = entry::free;
        auto const frame = static_cast<PhysicalAddress>((2 * thread + done_.at(thread).size() + 1) * 64);
        std::uint64_t const made = arch::translations::page_entry(frame, mapping::level(page.size));
        bool const is_put = found.value()->compare_exchange_strong(before, made);
        note(is_put ? 1 : 0);
        if (is_put) done_.at(thread).emplace_back(page, made);
    }

    PageTable* table_ = nullptr;
    std::array<std::vector<std::pair<Page, std::uint64_t>>, max_model_threads> done_{}; // by thread
};

TEST(Model, PageTables) {
    PageTableUse use;
    Protocol("page tables")
        .use(use.use("one page", {{{0}}, {{0}}}))
        .use(use.use("two pages of one table", {{{0}}, {{1}}}))
        .use(use.use("two tables", {{{0}}, {{512}}}))
        .use(use.use("a large one", {{{0}}, {{0, PageSize::Large}}}))
        .use(use.use("two large ones", {{{0, PageSize::Large}}, {{0, PageSize::Large}}}))
        .use(use.use("where a large one was", {{{0}}}, true))
        .use(use.use("then another table", {{{0}, {512}}, {{0}}}))
        .check(
            {"page_table,"},
            {{"page_table, new_table() condition: always", "takes more memory"},
             {"page_table, new_table() condition: never", "writes behind its memory, where nothing is here"},
             {"page_table, table_in() cas: without acquire", "takes the lock then, under which the table was made"}});
}

} // namespace
} // namespace mxk::test
