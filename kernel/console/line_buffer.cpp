#include "kernel/console/line_buffer.hpp"

#include <algorithm>

namespace mxk::console {

bool LineBuffer::insert(std::string_view text) {
    if (text.size() > capacity - size_) return false;
    char* const at = characters_.data() + cursor_;
    char* const end = characters_.data() + size_;
    std::copy_backward(at, end, end + text.size());
    std::copy(text.begin(), text.end(), at);
    size_ += text.size();
    cursor_ += text.size();
    return true;
}

void LineBuffer::assign(std::string_view text) {
    size_ = std::min(text.size(), capacity);
    std::copy_n(text.begin(), size_, characters_.begin());
    cursor_ = size_;
}

void LineBuffer::erase(std::size_t from, std::size_t to) {
    std::copy(characters_.data() + to, characters_.data() + size_, characters_.data() + from);
    size_ -= to - from;
    cursor_ = from;
}

std::size_t LineBuffer::word_begin() const {
    std::size_t at = cursor_;
    while (at > 0 && characters_[at - 1] == ' ') --at;
    while (at > 0 && characters_[at - 1] != ' ') --at;
    return at;
}

std::size_t LineBuffer::word_end() const {
    std::size_t at = cursor_;
    while (at < size_ && characters_[at] == ' ') ++at;
    while (at < size_ && characters_[at] != ' ') ++at;
    return at;
}

} // namespace mxk::console
