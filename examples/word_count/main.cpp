// Counts the words of a text file on all cores: word_count FILE [CORES]
//
// Every core reads pieces of the text, but a word is counted only by the core that owns it: the table is cut into one
// region per core, and the hash of a word says whose it is. Words travel to their owners in batches, each a task. Since
// nobody else touches a region, there is no lock.
#include <mxk/hashtable/layout/chained.hpp>
#include <mxk/hashtable/table/partitioned.hpp>
#include <mxk/runtime.hpp>
#include <mxk/tasks/run_on.hpp>
#include <mxk/tasks/task_group.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../number.hpp"

namespace {

// What the table holds. A user's nodes derive from its own.
struct WordNode : mxk::ChainNode {
    std::string_view word;
    std::size_t count;
    WordNode* twin; // another word with the same hash
};
using Table = mxk::Partitioned<mxk::Chained<mxk::RegionModulo, WordNode>>;

// What a task captures fits into 1 KiB.
class Batch {
  public:
    void add(std::string_view word) { words_[size_++] = word; }
    void clear() { size_ = 0; }
    bool full() const { return size_ == words_.size(); }
    bool empty() const { return size_ == 0; }
    auto begin() const { return words_.begin(); }
    auto end() const { return words_.begin() + size_; }

  private:
    std::array<std::string_view, 48> words_;
    std::size_t size_ = 0;
};

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

// FNV-1a. Keys of a Chained table are not 0.
std::uint64_t hash(std::string_view word) {
    std::uint64_t value = 0xcbf2'9ce4'8422'2325;
    for (char const c : word) value = (value ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    return value != 0 ? value : 1;
}

class WordCount {
  public:
    WordCount(std::string_view text, Table& table, mxk::TaskGroup& group)
        : text_(text)
        , table_(table)
        , group_(group) {}

    // One task of a core that reads: the next piece that nobody has read. Then the core's other tasks get their turn.
    mxk::Step read_piece(mxk::Worker& worker) {
        std::size_t const from = next_.fetch_add(piece);
        if (from >= text_.size() || out_of_memory_) return mxk::Step::Done;
        std::vector<Batch> batches(table_.region_count());
        for_each_word(from, std::min(from + piece, text_.size()), [&](std::string_view word) {
            std::size_t const owner = table_.owner(hash(word));
            batches[owner].add(word);
            if (batches[owner].full()) send(worker, owner, batches[owner]);
        });
        for (std::size_t owner = 0; owner < batches.size(); ++owner)
            if (!batches[owner].empty()) send(worker, owner, batches[owner]);
        return mxk::Step::Again;
    }

    bool out_of_memory() const { return out_of_memory_; }

  private:
    static constexpr std::size_t piece = 16 * mxk::KiB;

    // The words that begin in a part of the text: the last one may end behind it.
    template <typename Visit> void for_each_word(std::size_t from, std::size_t to, Visit visit) const {
        std::size_t at = from;
        if (from > 0 && is_letter(text_[from - 1]))
            while (at < to && is_letter(text_[at])) ++at;
        while (at < to) {
            std::size_t const start = at;
            while (at < text_.size() && is_letter(text_[at])) ++at;
            if (at > start) visit(text_.substr(start, at - start));
            ++at;
        }
    }

    void send(mxk::Worker& here, std::size_t owner, Batch& batch) {
        auto const count = [this, owner, batch](mxk::Worker& worker) {
            for (std::string_view const word : batch) add(worker, owner, word);
        };
        if (!group_.spawn(here, table_.core(owner), count)) out_of_memory_ = true;
        batch.clear();
    }

    // On the owner.
    void add(mxk::Worker& worker, std::size_t owner, std::string_view word) {
        auto& region = table_.region(owner);
        std::uint64_t const key = hash(word);
        WordNode* const first = region.lookup(key);
        for (WordNode* node = first; node != nullptr; node = node->twin)
            if (node->word == word) return static_cast<void>(++node->count);
        auto* const node = worker.create<WordNode>(mxk::ChainNode{key, nullptr}, word, std::size_t{1}, nullptr);
        if (node == nullptr) {
            out_of_memory_ = true;
        } else if (first == nullptr) {
            region.insert(*node);
        } else {
            node->twin = first->twin;
            first->twin = node;
        }
    }

    std::string_view text_;
    Table& table_;
    mxk::TaskGroup& group_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> out_of_memory_{false};
};

void print(Table const& table, std::size_t max_words) {
    std::vector<WordNode const*> words;
    std::size_t total = 0;
    for (std::size_t owner = 0; owner < table.region_count(); ++owner) {
        table.region(owner).for_each([&](std::size_t, WordNode const& first) {
            for (WordNode const* node = &first; node != nullptr; node = node->twin) {
                words.push_back(node);
                total += node->count;
            }
        });
    }
    std::ranges::sort(words, [](WordNode const* a, WordNode const* b) {
        return a->count != b->count ? a->count > b->count : a->word < b->word;
    });
    std::cout << total << " words, " << words.size() << " different\n";
    for (std::size_t i = 0; i < std::min(max_words, words.size()); ++i)
        std::cout << words[i]->count << ' ' << words[i]->word << '\n';
}

// The file's text with small letters, or nothing.
std::optional<std::string> read_text(char const* path) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    for (std::string line; std::getline(file, line);) text += line + '\n';
    if (!file.is_open() || file.bad()) return std::nullopt;
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

int fail(std::string_view why) {
    std::cerr << "word_count: " << why << '\n';
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    std::optional<std::uint64_t> const cores = count > 2 ? parse_number(arguments[2], 1, 4096) : 0;
    if (count < 2 || count > 3 || !cores) {
        std::cerr << "usage: word_count FILE [CORES]   (CORES: 1 to 4096; else one per processor)\n";
        return 2;
    }
    auto const text = read_text(arguments[1]);
    if (!text) return fail(std::string("cannot read ") + arguments[1]);

    auto started = mxk::Runtime::start({.cores = static_cast<std::uint32_t>(*cores)});
    if (!started) return fail(started.error().message());
    mxk::Runtime& runtime = started.value();

    std::vector<mxk::Owner> owners; // of the regions: every core, with the node that its memory shall come from
    std::vector<mxk::CoreId> readers;
    for (auto const& core : runtime.topology().cores) {
        owners.push_back({core.id, core.node});
        readers.push_back(core.id);
    }
    auto table = Table::create(text->size() / 16 + owners.size(), owners);
    if (!table) return fail(table.error().message());

    bool counted = false;
    runtime.run([&](mxk::Worker& here) {
        mxk::TaskGroup batches(here);
        WordCount words(*text, table.value(), batches);
        bool const read =
            mxk::run_on(readers, [&](mxk::Worker& worker, std::size_t) { return words.read_piece(worker); });
        batches.wait(); // all read, but the last batches may still be on their way
        counted = read && !words.out_of_memory();
    });
    if (!counted) return fail("out of memory");
    print(table.value(), 10);
    return 0;
}
