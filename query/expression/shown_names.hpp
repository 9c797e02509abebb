// Names in messages, which have room for some 230 characters and say at their end what is wrong: a name that is too
// long, and a list of many, end with dots.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/text.hpp"

namespace mxk::query {

constexpr std::size_t max_shown = 36;
using ShownName = FixedText<max_shown>;
inline ShownName shown(std::string_view name) {
    if (name.size() <= max_shown) return ShownName(name);
    constexpr std::string_view dots = "...";
    ShownName result(name.substr(0, max_shown - dots.size()));
    result.append(dots);
    return result;
}

class NameList {
  public:
    void add(std::string_view name) {
        if (is_cut_) return;
        std::string_view const comma = text_.view().empty() ? "" : ", ";
        is_cut_ = text_.view().size() + comma.size() + name.size() > max_characters;
        text_.append(comma);
        text_.append(is_cut_ ? "..." : name);
    }
    [[nodiscard]] std::string_view view() const { return text_.view().empty() ? "none" : text_.view(); }

  private:
    static constexpr std::size_t max_characters = 68;
    FixedText<max_characters + 5> text_; // of a last ", ..."
    bool is_cut_ = false;
};

} // namespace mxk::query
