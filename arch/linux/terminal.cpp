#include "arch/linux/terminal.hpp"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <span>
#include <thread>

#include "arch/attention.hpp"
#include "arch/linux/signals.hpp"
#include "arch/terminal.hpp"

namespace mxk::arch {
namespace {

constexpr char ctrl_c = 0x03;

// Bytes on their way from the thread that reads to core 0. Bounded: what comes faster than it is read waits outside.
class Input {
  public:
    void put(std::span<char const> bytes) {
        std::unique_lock guard(mutex_);
        drained_.wait(guard, [this] { return bytes_.size() < max_bytes; });
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void close() {
        std::lock_guard const guard(mutex_);
        closed_ = true;
    }
    std::optional<char> take() {
        std::lock_guard const guard(mutex_);
        if (bytes_.empty()) return std::nullopt;
        char const byte = bytes_.front();
        bytes_.pop_front();
        drained_.notify_one();
        return byte;
    }
    bool is_exhausted() {
        std::lock_guard const guard(mutex_);
        return closed_ && bytes_.empty();
    }

  private:
    static constexpr std::size_t max_bytes = 64 * KiB;

    std::mutex mutex_; // all below
    std::condition_variable drained_;
    std::deque<char> bytes_;
    bool closed_ = false;
};

Input& input() {
    static auto& one = *new Input; // never destroyed: its thread may outlive main()
    return one;
}

// What the terminal was like. Written before `taken`, which a signal handler asks first.
termios mode_before{};
constinit std::atomic<bool> taken{false};

// Bytes as they are typed, unseen, no signals made of them: the line editor does all that. Line ends of the output stay
// the terminal's business.
void take_terminal() {
    tcgetattr(STDIN_FILENO, &mode_before);
    termios mode = mode_before;
    mode.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
    mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    taken.store(true);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
}

void read_to_the_end(CoreId console_core) {
    bool const typed = terminal_is_interactive();
    std::array<char, 4096> buffer{};
    for (;;) {
        ssize_t const got = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        std::span<char const> const bytes(buffer.data(), static_cast<std::size_t>(got));
        for (char const byte : bytes)
            if (typed && byte == ctrl_c) request_interrupt();
        input().put(bytes);
        notify(console_core, Attention::Input);
    }
    input().close();
    notify(console_core, Attention::Input);
}

} // namespace

void terminal_write(std::string_view text) {
    static bool const is_screen = terminal_is_screen();
    std::fwrite(text.data(), 1, text.size(), stdout); // locks
    // A person sees what is there at once; others get whole lines.
    if (is_screen || text.ends_with('\n')) std::fflush(stdout);
}

std::size_t terminal_columns() {
    if (!terminal_is_screen()) return 0;
    winsize size{};
    bool const is_told = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    return is_told ? size.ws_col : 80;
}

std::optional<char> terminal_read() {
    return input().take();
}
std::size_t terminal_take_lost() {
    return 0; // the reading thread waits for room, and so does the sender
}
bool terminal_closed() {
    return input().is_exhausted();
}

bool terminal_is_interactive() {
    return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
}
bool terminal_is_screen() {
    return isatty(STDOUT_FILENO) != 0;
}

void open_terminal() {
    if (terminal_is_interactive()) take_terminal();
    std::thread([console_core = core_local().id] { read_to_the_end(console_core); }).detach();
}

void close_terminal() {
    input().close();
}

void restore_terminal() {
    if (taken.exchange(false)) tcsetattr(STDIN_FILENO, TCSADRAIN, &mode_before);
}

} // namespace mxk::arch
