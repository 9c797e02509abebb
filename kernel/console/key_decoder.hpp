// From the bytes of a terminal to keys. Knows the control characters and the escape sequences (ECMA-48 section 5.4,
// xterm and the Linux console) of the editing keys; every other sequence is swallowed whole, so that no key leaves
// debris in the line. CR, LF and CR LF are one Enter each.
#pragma once

#include <cstdint>

#include "base/text.hpp"

namespace mxk::console {

enum class Key : std::uint8_t {
    None,      // the byte was part of something longer, or means nothing to an editor
    Character, // the byte stands for itself
    Refused,   // a byte that no line may hold: not ASCII, or a control character without a meaning
    Enter,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    Up,
    Down,
    Backspace,
    Delete,
    EraseToStart,
    EraseToEnd,
    EraseWord,
    Redraw,
    Interrupt,
    Complete,
    Search,
    Abort,
};

class KeyDecoder {
  public:
    Key feed(char byte);

  private:
    // Escape: after ESC. Control: after ESC [ or ESC O. Tail: a sequence that means nothing, up to its last byte.
    // String: up to BEL or ESC \.
    enum class State : std::uint8_t { Plain, Escape, Tail, Control, String };

    Key plain(char byte);
    Key inside_sequence(char byte);

    State state_ = State::Plain;
    bool after_carriage_return_ = false;
    FixedText<8> parameters_; // longer ones are cut: they are longer than any known sequence and match none
};

} // namespace mxk::console
