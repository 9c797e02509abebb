#include "kernel/console/key_decoder.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace mxk::console {
namespace {

constexpr char bell = 0x07;
constexpr char cancel = 0x18;
constexpr char substitute = 0x1a;
constexpr char escape = 0x1b;
constexpr char rubout = 0x7f;

constexpr char control(char letter) {
    return static_cast<char>(letter & 0x1f);
}

struct ControlKey {
    char byte;
    Key key;
};
constexpr auto control_keys = std::array{
    ControlKey{control('A'), Key::Home},         ControlKey{control('B'), Key::Left},
    ControlKey{control('C'), Key::Interrupt},    ControlKey{control('D'), Key::Delete},
    ControlKey{control('E'), Key::End},          ControlKey{control('F'), Key::Right},
    ControlKey{control('H'), Key::Backspace},    ControlKey{control('I'), Key::Complete},
    ControlKey{control('J'), Key::Enter},        ControlKey{control('K'), Key::EraseToEnd},
    ControlKey{control('L'), Key::Redraw},       ControlKey{control('M'), Key::Enter},
    ControlKey{control('N'), Key::Down},         ControlKey{control('P'), Key::Up},
    ControlKey{control('U'), Key::EraseToStart}, ControlKey{control('W'), Key::EraseWord},
    ControlKey{control('R'), Key::Search},       ControlKey{control('G'), Key::Abort},
    ControlKey{rubout, Key::Backspace},          ControlKey{'\0', Key::None}, // Telnet sends CR NUL
};

struct SequenceKey {
    std::string_view parameters;
    char last;
    Key key;
};
constexpr auto sequence_keys = std::array{
    SequenceKey{"", 'A', Key::Up},          SequenceKey{"", 'B', Key::Down},    SequenceKey{"", 'C', Key::Right},
    SequenceKey{"", 'D', Key::Left},        SequenceKey{"", 'H', Key::Home},    SequenceKey{"", 'F', Key::End},
    SequenceKey{"1", '~', Key::Home},       SequenceKey{"4", '~', Key::End},    SequenceKey{"7", '~', Key::Home},
    SequenceKey{"8", '~', Key::End},        SequenceKey{"3", '~', Key::Delete}, SequenceKey{"1;5", 'C', Key::WordRight},
    SequenceKey{"1;5", 'D', Key::WordLeft},
};

constexpr bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
}
constexpr bool is_control(char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == rubout;
}
constexpr bool is_parameter(char byte) {
    return byte >= 0x20 && byte <= 0x3f;
} // intermediate bytes included

} // namespace

Key KeyDecoder::feed(char byte) {
    bool const after_carriage_return = std::exchange(after_carriage_return_, false);
    if (byte == '\n' && after_carriage_return) return Key::None;
    if (byte == escape) {
        state_ = State::Escape;
        parameters_.clear();
        return Key::None;
    }
    if (state_ == State::Plain) return plain(byte);
    if (byte == bell || byte == cancel || byte == substitute) { // what ends a string or gives a sequence up
        state_ = State::Plain;
        return Key::None;
    }
    // A control character is obeyed even inside a sequence: line noise that looks like one must not lock the console.
    bool const stray = is_control(byte) || (!is_ascii(byte) && state_ != State::String);
    if (!stray) return inside_sequence(byte);
    state_ = State::Plain;
    return plain(byte);
}

Key KeyDecoder::plain(char byte) {
    if (!is_ascii(byte)) return Key::Refused;
    if (!is_control(byte)) return Key::Character;
    after_carriage_return_ = byte == '\r';
    for (ControlKey const& known : control_keys) {
        if (known.byte == byte) return known.key;
    }
    return Key::Refused;
}

Key KeyDecoder::inside_sequence(char byte) {
    switch (state_) {
    case State::Plain:
    case State::String: return Key::None;
    case State::Escape:
        if (byte == '[' || byte == 'O') {
            state_ = State::Control;
        } else if (std::string_view("]P_^X").find(byte) != std::string_view::npos) {
            state_ = State::String;
        } else {
            state_ = is_parameter(byte) && byte < '0' ? State::Tail : State::Plain;
        }
        return Key::None;
    case State::Tail:
        if (byte >= '0') state_ = State::Plain;
        return Key::None;
    case State::Control: break;
    }
    if (is_parameter(byte)) {
        parameters_.append({&byte, 1});
        return Key::None;
    }
    if (byte == '[' && parameters_.view().empty()) { // the Linux console's ESC [ [ A: function keys
        state_ = State::Tail;
        return Key::None;
    }
    state_ = State::Plain;
    for (SequenceKey const& known : sequence_keys) {
        if (known.last == byte && known.parameters == parameters_.view()) return known.key;
    }
    return Key::None;
}

} // namespace mxk::console
