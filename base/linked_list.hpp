// A list of elements that bring their own links, so that each can be taken out wherever it stands, and no memory is
// needed. Its owner sees to it that one core or thread at a time changes it.
#pragma once

#include <utility>

namespace mxk {

template <typename T> struct ListLinks {
    T* previous = nullptr;
    T* next = nullptr;
};

template <typename T, ListLinks<T> T::*links> class LinkedList {
  public:
    [[nodiscard]] T* first() const { return first_; }
    [[nodiscard]] T* last() const { return last_; }
    static T* next(T const& element) { return (element.*links).next; }
    static T* previous(T const& element) { return (element.*links).previous; }

    void append(T& element) { insert_behind(last_, element); }
    // Null: before all others.
    void insert_behind(T* previous, T& element) {
        T* const next = previous != nullptr ? (previous->*links).next : first_;
        element.*links = {previous, next};
        (previous != nullptr ? (previous->*links).next : first_) = &element;
        (next != nullptr ? (next->*links).previous : last_) = &element;
    }
    // One that is in this list.
    void remove(T& element) {
        auto const [previous, next] = element.*links;
        (previous != nullptr ? (previous->*links).next : first_) = next;
        (next != nullptr ? (next->*links).previous : last_) = previous;
    }
    // All of them, linked as they were; there is none here any more.
    [[nodiscard]] T* take_all() {
        last_ = nullptr;
        return std::exchange(first_, nullptr);
    }

  private:
    T* first_ = nullptr;
    T* last_ = nullptr;
};

} // namespace mxk
