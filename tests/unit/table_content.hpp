// Keys of any kind with a number each, and what a table keeps with them: so that one test can be written for all
// layouts of an Extendible table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "hashtable/byte_key.hpp"
#include "hashtable/layout/chained.hpp"
#include "hashtable/table/extendible.hpp"

namespace mxk::test {

// Numbers below 2^32.
template <typename Key> struct KeyOf;
template <> struct KeyOf<std::uint64_t> {
    static std::uint64_t of(std::uint64_t number) { return number + 1; }
    static std::uint64_t number(std::uint64_t key) { return key - 1; }
};
template <std::size_t Size> struct KeyOf<Bytes<Size>> {
    // Differ in their last bytes only, so that all words count.
    static Bytes<Size> of(std::uint64_t number) {
        std::string text(Size, '.');
        for (std::size_t i = 0; i < 8; ++i) text[Size - 1 - i] = static_cast<char>('a' + (number >> 4 * i & 15));
        return Bytes<Size>(text);
    }
    static std::uint64_t number(Bytes<Size> const& key) {
        std::uint64_t const last = key.word(Bytes<Size>::words - 1);
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < 8; ++i) number = number << 4 | ((last >> 8 * i & 0xff) - 'a');
        return number;
    }
};

// A chained table's node with any kind of key.
template <typename KeyType> struct KeyedNode {
    KeyType key;
    KeyedNode* next;
};

// What tables that keep values are given, and what they show of it.
template <typename Item> struct ItemsOf {
    template <typename Key> static Item make(Key const&, std::uint64_t value) { return value; }
    static void destroy(Item) {}
    static Item shown(std::uint64_t const* found) { return *found; }
};
// Tables that keep nodes. One that is the caller's again goes at once, so that a sanitizer sees who still uses it.
template <typename Node> struct ItemsOf<Node*> {
    template <typename Key> static Node* make(Key const& key, std::uint64_t) { return new Node{key, nullptr}; }
    static void destroy(Node* node) { delete node; }
    static Node* shown(Node* found) { return found; }
};

} // namespace mxk::test
