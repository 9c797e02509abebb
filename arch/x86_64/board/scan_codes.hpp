// Scan codes of a PS/2 keyboard (set 1, as the 8042 translates them; IBM PS/2 Hardware Interface Technical Reference,
// "Keyboard") as the bytes that a terminal sends. The layout of the United States; shift, control, caps lock. Keys that
// a terminal has nothing for are passed over. One core at a time; does not block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace mxk::arch {

class ScanCodes {
  public:
    // What the next byte from the keyboard makes; valid until the next call.
    std::string_view feed(std::uint8_t code) {
        constexpr std::uint8_t extended_prefix = 0xe0;
        constexpr std::uint8_t pause_prefix = 0xe1; // two codes follow, for the key and for its release each
        constexpr std::uint8_t released = 0x80;
        if (code == extended_prefix || code == pause_prefix) {
            is_extended_ = code == extended_prefix;
            skipped_ = code == pause_prefix ? 2 : 0;
            return {};
        }
        if (skipped_ > 0) {
            --skipped_;
            return {};
        }
        bool const extended = std::exchange(is_extended_, false);
        bool const pressed = (code & released) == 0;
        auto const key = static_cast<std::uint8_t>(code & ~released);
        switch (key) {
        case left_shift:
        case right_shift:
            if (!extended) shift_ = pressed; // an extended one is not a key, but part of another's code
            return {};
        case control: control_ = pressed; return {};
        case caps_lock:
            caps_ = caps_ != (pressed && !caps_is_down_); // it repeats while it is held
            caps_is_down_ = pressed;
            return {};
        default: break;
        }
        if (!pressed) return {};
        if (key >= first_of_pad && key < first_of_pad + pad.size() && (extended || !pad[key - first_of_pad].empty()))
            return pad[key - first_of_pad];
        return plain(key, extended);
    }

  private:
    static constexpr std::uint8_t control = 0x1d;
    static constexpr std::uint8_t left_shift = 0x2a;
    static constexpr std::uint8_t right_shift = 0x36;
    static constexpr std::uint8_t caps_lock = 0x3a;
    static constexpr std::uint8_t enter = 0x1c;
    static constexpr std::uint8_t slash = 0x35;
    static constexpr std::uint8_t minus_of_pad = 0x4a;
    static constexpr std::uint8_t plus_of_pad = 0x4e;

    // 0x47 to 0x53: keys for the cursor, by themselves and on the pad (no number lock).
    static constexpr std::uint8_t first_of_pad = 0x47;
    static constexpr std::array<std::string_view, 13> pad{"\x1b[H", "\x1b[A", "", "", "\x1b[D", "", "\x1b[C", "",
                                                          "\x1b[F", "\x1b[B", "", "", "\x1b[3~"};

    // 0x00 to 0x39, without and with shift; a zero: none.
    static constexpr std::string_view lower{"\0\x1b"
                                            "1234567890-=\x7f\t"
                                            "qwertyuiop[]\r\0"
                                            "asdfghjkl;'`\0\\"
                                            "zxcvbnm,./\0*\0 ",
                                            0x3a};
    static constexpr std::string_view upper{"\0\x1b"
                                            "!@#$%^&*()_+\x7f\t"
                                            "QWERTYUIOP{}\r\0"
                                            "ASDFGHJKL:\"~\0|"
                                            "ZXCVBNM<>?\0*\0 ",
                                            0x3a};

    std::string_view plain(std::uint8_t key, bool extended) {
        if (extended && key != enter && key != slash) return {};
        if (key == minus_of_pad || key == plus_of_pad) return made(key == minus_of_pad ? '-' : '+');
        if (key >= lower.size() || lower[key] == '\0') return {};
        bool const is_letter = lower[key] >= 'a' && lower[key] <= 'z';
        if (control_) {
            constexpr unsigned control_bits = 0x1f;
            constexpr std::string_view with_control = "@[\\]^_";
            char const symbol = upper[key] == '@' || upper[key] == '^' || upper[key] == '_' ? upper[key] : lower[key];
            if (is_letter || with_control.find(symbol) != with_control.npos)
                return made(static_cast<char>(static_cast<unsigned>(symbol) & control_bits));
        }
        bool const is_upper = is_letter ? shift_ != caps_ : shift_;
        return made(is_upper ? upper[key] : lower[key]);
    }

    std::string_view made(char byte) {
        byte_ = byte;
        return {&byte_, 1};
    }

    bool is_extended_ = false;
    bool shift_ = false;
    bool control_ = false;
    bool caps_ = false;
    bool caps_is_down_ = false;
    int skipped_ = 0; // codes that are still part of the pause key
    char byte_ = 0;
};

} // namespace mxk::arch
