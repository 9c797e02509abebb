// What Tab can turn the word before the cursor into. The editor hands a Candidates to a Completer; those who know names
// offers them, and those that do not begin with the word are dropped here. Names are not copied: they must outlive the
// completion (registered names and option names do). One core at a time; never blocks.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace mxk::console {

// `lead` and `name` are one word: "--" and "cores".
struct Candidate {
    std::string_view lead;
    std::string_view name;

    [[nodiscard]] constexpr std::size_t size() const { return lead.size() + name.size(); }
    [[nodiscard]] constexpr char operator[](std::size_t at) const {
        return at < lead.size() ? lead[at] : name[at - lead.size()];
    }
};

class Candidates {
  public:
    static constexpr std::size_t capacity = 256;
    static constexpr std::size_t max_size = 64; // longer candidates are not offered

    // Forgets all candidates; from here on they complete `word`.
    void start(std::string_view word);
    // The word is a list with commas between: what follows the last one is completed.
    void start_last_of_list() { start(word_.substr(word_.find_last_of(',') + 1)); }

    void offer(std::string_view name, std::string_view lead = {});

    // The word that is being completed.
    [[nodiscard]] std::string_view word() const { return word_; }
    // In alphabetical order, without duplicates; the first `capacity` of them.
    [[nodiscard]] std::span<Candidate const> sorted() const { return {kept_.data(), count_}; }
    // Whether there are more than these.
    [[nodiscard]] bool has_more() const { return has_more_; }
    // What all candidates begin with: word() or more, if there is one.
    [[nodiscard]] std::string_view common_prefix() const { return common_.view(); }

  private:
    std::string_view word_;
    std::array<Candidate, capacity> kept_{};
    std::size_t count_ = 0;
    bool any_ = false;
    bool has_more_ = false;
    FixedText<max_size> common_;
};

class Completer {
  public:
    // Offers every way to continue `text`, the line up to the cursor, after starting `candidates` with its last word.
    virtual void complete(std::string_view text, Candidates& candidates) = 0;

  protected:
    ~Completer() = default;
};

} // namespace mxk::console
