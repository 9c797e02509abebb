// What a bulk table has to know of a type of keys: how it is given, hashed and stored. Three kinds:
//
//     word      up to 8 bytes that can be copied as bytes: kept as a number of 64 bits, which is all there is of it
//     object    longer ones that can be copied as bytes
//     text      byte strings: std::string and std::string_view; up to 12 bytes stand in the table, longer ones behind
//     it
//
// Keys are equal when their bytes are, so a type with padding, or a floating-point one, is none.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "hashtable/bulk/key_hash.hpp"
#include "hashtable/bulk/text_store.hpp"

namespace mxk {

template <typename Key>
concept TextKey = std::same_as<Key, std::string> || std::same_as<Key, std::string_view>;
template <typename Key>
concept PlainKey = std::is_trivially_copyable_v<Key> && std::has_unique_object_representations_v<Key> && !TextKey<Key>;
template <typename Key>
concept WordKey = PlainKey<Key> && sizeof(Key) <= sizeof(std::uint64_t);

// For objects that have no store.
struct NoTextStore {
    explicit NoTextStore(NodeId) {}
    static bool promise(std::size_t) { return true; }
    static void take_back(std::size_t) {}
    static void clear() {}
    static std::size_t bytes() { return 0; }
};

//     View        how a key is given, and given back
//     Stored      what stands in the table
//     word(view)  64 bits of it: the key itself, or its hash
//     hash(word)  the hash
//     Store       where the rest of it is
template <typename Key> struct TableKey;

template <WordKey Key> struct TableKey<Key> {
    using View = Key;
    using Stored = std::uint64_t;
    using Store = NoTextStore;

    static std::uint64_t word(Key const& key) {
        std::uint64_t result = 0;
        std::memcpy(&result, &key, sizeof key);
        return result;
    }
    static std::uint64_t hash(std::uint64_t word) { return hash_of_word(word); }
    static bool equal(Stored const& stored, std::uint64_t word, Key const&) { return stored == word; }
    static std::size_t extra_bytes(Key const&) { return 0; }
    static bool store(Stored& place, std::uint64_t word, Key const&, Store&, bool) {
        place = word;
        return true;
    }
    static void release(Stored const&, Store&) {}
    static std::uint64_t hash_of(Stored const& stored, unsigned) { return hash(stored); }
    static View view(Stored const& stored) {
        Key key;
        std::memcpy(&key, &stored, sizeof key);
        return key;
    }
};

template <PlainKey Key>
requires(!WordKey<Key>) struct TableKey<Key> {
    using View = Key;
    using Stored = Key;
    using Store = NoTextStore;

    static std::uint64_t word(Key const& key) { return hash_of_bytes(reinterpret_cast<char const*>(&key), sizeof key); }
    static std::uint64_t hash(std::uint64_t word) { return word; }
    static bool equal(Stored const& stored, std::uint64_t, Key const& key) {
        return std::memcmp(&stored, &key, sizeof key) == 0;
    }
    static std::size_t extra_bytes(Key const&) { return 0; }
    static bool store(Stored& place, std::uint64_t, Key const& key, Store&, bool) {
        place = key;
        return true;
    }
    static void release(Stored const&, Store&) {}
    static std::uint64_t hash_of(Stored const& stored, unsigned) { return word(stored); }
    static View view(Stored const& stored) { return stored; }
};

// 16 bytes for a string (the layout of Neumann and Freitag, Umbra, CIDR 2020): a short one whole, of a long one the
// high half of its hash and where it is.
struct StoredText {
    static constexpr std::size_t max_short = 12;

    std::uint32_t size;
    char bytes[max_short]; // or 4 of the hash, and 8 of the address

    [[nodiscard]] bool is_short() const { return size <= max_short; }
    [[nodiscard]] std::uint32_t high_half() const {
        std::uint32_t high = 0;
        std::memcpy(&high, bytes, sizeof high);
        return high;
    }
    [[nodiscard]] char* text() const {
        char* address = nullptr;
        std::memcpy(static_cast<void*>(&address), bytes + sizeof(std::uint32_t), sizeof address);
        return address;
    }
    void set_long(std::uint32_t high, char* address) {
        std::memcpy(bytes, &high, sizeof high);
        std::memcpy(bytes + sizeof high, static_cast<void const*>(&address), sizeof address);
    }
    [[nodiscard]] std::string_view view() const { return {is_short() ? bytes : text(), size}; }
};
static_assert(sizeof(StoredText) == 16);

template <TextKey Key> struct TableKey<Key> {
    using View = std::string_view;
    using Stored = StoredText;
    using Store = TextStore;

    // The high half, and the seven bits that are the key's tag in its bucket: as much as is known of a stored key.
    static constexpr std::uint64_t kept_bits = 0xffff'ffff'0000'007f;

    static std::uint64_t word(View key) { return hash_of_bytes(key.data(), key.size()) & kept_bits; }
    static std::uint64_t hash(std::uint64_t word) { return word; }
    static bool equal(Stored const& stored, std::uint64_t word, View key) {
        if (stored.size != key.size()) return false;
        return (stored.is_short() || stored.high_half() == word >> 32) && stored.view() == key;
    }
    static std::size_t extra_bytes(View key) {
        return key.size() > StoredText::max_short ? TextStore::room_for(key.size()) : 0;
    }
    // False without memory, which a promise excludes.
    static bool store(Stored& place, std::uint64_t word, View key, Store& store, bool is_promised) {
        Stored stored{};
        stored.size = static_cast<std::uint32_t>(key.size());
        if (stored.is_short()) {
            key.copy(stored.bytes, StoredText::max_short);
        } else {
            char* const text = store.allocate(key.size(), is_promised);
            if (text == nullptr) return false;
            key.copy(text, key.size());
            stored.set_long(static_cast<std::uint32_t>(word >> 32), text);
        }
        place = stored;
        return true;
    }
    static void release(Stored const& stored, Store& store) {
        if (!stored.is_short()) store.free(stored.text(), stored.size);
    }
    static std::uint64_t hash_of(Stored const& stored, unsigned tag) {
        return stored.is_short() ? word(stored.view()) : std::uint64_t{stored.high_half()} << 32 | tag;
    }
    static View view(Stored const& stored) { return stored.view(); }
};

} // namespace mxk
