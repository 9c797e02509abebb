#include "main/cluster/beats.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

namespace mxk::cluster {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds look_every{100};
constexpr std::chrono::milliseconds beat_every{500};
constexpr std::chrono::milliseconds to_tell_others{300};

// Of the process: MPI's errors come from anywhere.
struct Losing {
    MpiWorld* world = nullptr;
    Beats::InFlight in_flight = nullptr;
    void const* context = nullptr;
    Clock::duration silence{};
    std::mutex once; // the first one says why; it never unlocks
};
Losing losing;

// Ends the process. `why`: behind the rank's name.
[[noreturn]] void lose(std::uint32_t rank, std::string_view why) {
    losing.once.lock();
    std::string text = "mxk-cluster: ";
    if (rank == Beat::none) {
        text += "a rank was lost: ";
    } else {
        RankPlace const& place = losing.world->place(rank);
        text += "rank " + std::to_string(rank) + " (host " + place.host.data() + ", process " +
                std::to_string(place.process) + ") was lost: ";
    }
    text += why;
    if (losing.in_flight != nullptr && rank != Beat::none)
        text += "; in flight to it: " + losing.in_flight(losing.context, rank);
    text += "; rank " + std::to_string(losing.world->rank()) + " ends\n";
    std::fputs(text.c_str(), stderr);
    _exit(lost_exit_code);
}

// The beats say which rank it is, if they are to.
void on_mpi_failure(std::string const& text) {
    std::this_thread::sleep_for(losing.silence + 2 * beat_every + to_tell_others);
    lose(Beat::none, "MPI says: " + text);
}

std::string tenths(std::uint32_t value) {
    return std::to_string(value / 10) + "." + std::to_string(value % 10);
}

} // namespace

Beats::Beats(MpiWorld& world, double seconds, cpu_set_t const& processors)
    : world_(world) {
    losing.world = &world;
    losing.silence = std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    world.set_on_failure(&on_mpi_failure);
    if (world.ranks() == 1) return;
    thread_ = std::thread([this, processors] {
        sched_setaffinity(0, sizeof processors, &processors);
        Clock::duration const silence = losing.silence;
        std::vector<Clock::time_point> heard(world_.ranks(), Clock::now());
        Clock::time_point next_beat = Clock::now();
        Clock::time_point last_look = next_beat;
        Beat own;
        while (!stopping_.load(std::memory_order_acquire)) {
            Clock::time_point const now = Clock::now();
            // Stopped itself, or without a processor for long: the others are heard first.
            if (now - last_look > silence / 2) heard.assign(heard.size(), now);
            last_look = now;
            Rank from = 0;
            Beat beat;
            while (world_.receive_beat(from, beat)) {
                heard[from] = now;
                if (beat.lost != Beat::none)
                    lose(beat.lost, "rank " + std::to_string(from) + " has heard nothing of it for " +
                                        tenths(beat.seconds_10) + " s");
            }
            if (now >= next_beat) {
                for (Rank rank = 0; rank < world_.ranks(); ++rank)
                    if (rank != world_.rank()) world_.send_beat(rank, own);
                next_beat = now + beat_every;
            }
            for (Rank rank = 0; rank < world_.ranks(); ++rank) {
                if (rank == world_.rank() || now - heard[rank] < silence) continue;
                own.lost = rank;
                own.seconds_10 = static_cast<std::uint32_t>(Seconds(now - heard[rank]).count() * 10);
                for (Rank other = 0; other < world_.ranks(); ++other)
                    if (other != world_.rank() && other != rank) world_.send_beat(other, own);
                for (auto const end = Clock::now() + to_tell_others; Clock::now() < end;) {
                    static_cast<void>(world_.receive_beat(from, beat)); // so that MPI moves what was sent
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                lose(rank, "nothing was heard of it for " + tenths(own.seconds_10) + " s");
            }
            std::this_thread::sleep_for(look_every);
        }
    });
}

Beats::~Beats() {
    world_.begin_barrier();
    while (!world_.is_done()) usleep(100);
    stopping_.store(true, std::memory_order_release);
    if (thread_.joinable()) thread_.join();
    losing.in_flight = nullptr;
}

void Beats::tell_in_flight(InFlight in_flight, void const* context) {
    losing.context = context;
    losing.in_flight = in_flight;
}

EndLimit::EndLimit()
    : thread_([this] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, losing.silence, [this] { return is_over_; })) return;
        lose(Beat::none, "the end took longer than " +
                             tenths(static_cast<std::uint32_t>(Seconds(losing.silence).count() * 10)) + " s");
    }) {}

EndLimit::~EndLimit() {
    {
        std::scoped_lock const lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

} // namespace mxk::cluster
