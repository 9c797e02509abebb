// Compiled for each implementation of MPI; of the cluster the only file that includes its header. The C interface only.
#include "main/cluster/mpi_world.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace mxk::cluster {
namespace {

constexpr int beat_tag = 1;

int as_int(std::size_t value) {
    return static_cast<int>(value);
}

MpiWorld::OnFailure on_failure = nullptr;

void check(int code) {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    if (on_failure != nullptr) on_failure(std::string(text.data(), static_cast<std::size_t>(length)));
    _exit(lost_exit_code);
}

MPI_Comm copy_of(MPI_Comm communicator) {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(communicator, &copy));
    check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    return copy;
}

class MpiLink final : public remote::Link {
  public:
    // `communicators`: of each endpoint, for what comes to it.
    MpiLink(std::vector<MPI_Comm> communicators, std::uint32_t at)
        : communicators_(std::move(communicators))
        , at_(at) {}

    void send(remote::Peer to, remote::Message& message) override {
        auto const endpoints = static_cast<std::uint32_t>(communicators_.size());
        auto const wire = message.wire();
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Isend(wire.data(), as_int(wire.size()), MPI_BYTE, as_int(to / endpoints), as_int(at_),
                        communicators_[to % endpoints], &request));
        sending_.push_back(request);
        sent_messages_.push_back(&message);
    }

    remote::Message* sent() override {
        if (left_.empty() && !sending_.empty()) {
            int count = 0;
            places_.resize(sending_.size());
            check(MPI_Testsome(as_int(sending_.size()), sending_.data(), &count, places_.data(), MPI_STATUSES_IGNORE));
            if (count > 0) take_out(count);
        }
        if (left_.empty()) return nullptr;
        remote::Message* const message = left_.front();
        left_.pop_front();
        return message;
    }

    void offer(remote::Message& buffer) override {
        if (offered_.size() == max_offered) return kept_.push_back(&buffer);
        post(buffer);
    }

    // In the order in which room was offered, which is that of arrival.
    remote::Message* received() override {
        if (offered_.empty()) return nullptr;
        Offered& first = offered_.front();
        int is_done = 0;
        MPI_Status status;
        check(MPI_Test(&first.request, &is_done, &status));
        if (is_done == 0) return nullptr;
        remote::Message* const buffer = first.buffer;
        offered_.pop_front();
        if (!kept_.empty()) {
            post(*kept_.back());
            kept_.pop_back();
        }
        auto const endpoints = static_cast<std::uint32_t>(communicators_.size());
        buffer->peer =
            static_cast<std::uint32_t>(status.MPI_SOURCE) * endpoints + static_cast<std::uint32_t>(status.MPI_TAG);
        return buffer;
    }

    // What was offered is not waited for any more.
    void close() {
        for (Offered& one : offered_) {
            MPI_Cancel(&one.request);
            MPI_Request_free(&one.request);
        }
        offered_.clear();
    }

  private:
    static constexpr std::size_t max_offered = 128;
    struct Offered {
        MPI_Request request;
        remote::Message* buffer;
    };

    void post(remote::Message& buffer) {
        auto const room = buffer.room();
        Offered& one = offered_.emplace_back(MPI_REQUEST_NULL, &buffer);
        check(MPI_Irecv(room.data(), as_int(room.size()), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, communicators_[at_],
                        &one.request));
    }

    void take_out(int count) {
        for (int i = 0; i < count; ++i)
            left_.push_back(sent_messages_[static_cast<std::size_t>(places_[static_cast<std::size_t>(i)])]);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < sending_.size(); ++i) {
            if (sending_[i] == MPI_REQUEST_NULL) continue;
            sending_[kept] = sending_[i];
            sent_messages_[kept++] = sent_messages_[i];
        }
        sending_.resize(kept);
        sent_messages_.resize(kept);
    }

    std::vector<MPI_Comm> communicators_;
    std::uint32_t at_;
    std::vector<MPI_Request> sending_;
    std::vector<remote::Message*> sent_messages_;
    std::vector<int> places_;
    std::deque<remote::Message*> left_;
    std::deque<Offered> offered_;
    std::vector<remote::Message*> kept_;
};

} // namespace

struct MpiWorld::State {
    MPI_Comm control = MPI_COMM_NULL;
    MPI_Comm beats = MPI_COMM_NULL;
    std::vector<MPI_Comm> endpoints;
    MPI_Request collective = MPI_REQUEST_NULL;
    std::vector<RankPlace> places;
    std::string library;
    // Of the thread that sends beats.
    struct OwnBeat {
        MPI_Request request = MPI_REQUEST_NULL;
        Beat beat{};
    };
    std::vector<OwnBeat> sent_beats; // by rank
    MPI_Request beat_to_come = MPI_REQUEST_NULL;
    Beat its_beat{};
    MPI_Win window = MPI_WIN_NULL;
};

MpiWorld::MpiWorld(int& count, char**& arguments, bool many_threads)
    : state_(new State) {
    int granted = MPI_THREAD_SINGLE;
    std::signal(SIGPIPE, SIG_IGN); // a connection to a rank that is lost
    MPI_Init_thread(&count, &arguments, many_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &granted);
    has_threads_ = granted == MPI_THREAD_MULTIPLE;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rank_ = static_cast<Rank>(rank);
    ranks_ = static_cast<Rank>(ranks);
    state_->control = copy_of(MPI_COMM_WORLD);
    state_->beats = copy_of(MPI_COMM_WORLD);
    MPI_Comm here = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here));
    int number = 0;
    MPI_Comm_rank(here, &number);
    rank_here_ = static_cast<Rank>(number);
    MPI_Comm_size(here, &number);
    ranks_here_ = static_cast<Rank>(number);
    MPI_Comm_free(&here);

    RankPlace own{.process = getpid()};
    gethostname(own.host.data(), own.host.size() - 1);
    state_->places.resize(ranks_);
    check(MPI_Allgather(&own, sizeof own, MPI_BYTE, state_->places.data(), sizeof own, MPI_BYTE, state_->control));
    state_->sent_beats.resize(ranks_);

    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string const all(text.data(), static_cast<std::size_t>(length));
    if (all.starts_with("MPICH")) { // lines of a name, a tab and a value
        auto const value = all.find_first_not_of(": \t", all.find("Version") + std::strlen("Version"));
        state_->library = "MPICH " + all.substr(value, all.find_first_of(" \n", value) - value);
    } else {
        state_->library = all.substr(0, all.find(','));
    }
}

MpiWorld::~MpiWorld() {
    if (state_->beat_to_come != MPI_REQUEST_NULL) {
        MPI_Cancel(&state_->beat_to_come);
        MPI_Request_free(&state_->beat_to_come);
    }
    begin_barrier();
    while (!is_done()) usleep(100);
    // Over TCP, MPICH's end may hang: a rank waits there for others, which wait for it without looking. Its starter is
    // told by the shell that tools/mxk cluster puts above each rank.
    bool const is_told = std::getenv("MXK_CLUSTER_RUN") != nullptr && state_->library.starts_with("MPICH");
    if (!is_told) MPI_Finalize();
    delete state_;
}

void MpiWorld::set_on_failure(OnFailure its_on_failure) {
    on_failure = its_on_failure;
}
RankPlace const& MpiWorld::place(Rank rank) const {
    return state_->places[rank];
}
std::string const& MpiWorld::library() const {
    return state_->library;
}

std::string_view MpiWorld::transport() const {
    char const* const told = std::getenv("MXK_CLUSTER_TRANSPORT"); // by tools/mxk cluster
    return told != nullptr ? told : "default";
}

void MpiWorld::begin_gather(std::span<std::byte const> own, std::span<std::byte> all) {
    check(MPI_Iallgather(own.data(), as_int(own.size()), MPI_BYTE, all.data(), as_int(own.size()), MPI_BYTE,
                         state_->control, &state_->collective));
}
void MpiWorld::begin_broadcast(std::span<std::byte> bytes, Rank from) {
    check(MPI_Ibcast(bytes.data(), as_int(bytes.size()), MPI_BYTE, as_int(from), state_->control, &state_->collective));
}
void MpiWorld::begin_barrier() {
    check(MPI_Ibarrier(state_->control, &state_->collective));
}
bool MpiWorld::is_done() {
    int done = 0;
    check(MPI_Test(&state_->collective, &done, MPI_STATUS_IGNORE));
    return done != 0;
}

std::unique_ptr<remote::Link, void (*)(remote::Link*)> MpiWorld::make_link(std::uint32_t at, std::uint32_t endpoints) {
    while (state_->endpoints.size() < endpoints) state_->endpoints.push_back(copy_of(MPI_COMM_WORLD));
    return {new MpiLink(state_->endpoints, at), [](remote::Link* link) {
                auto* const its = static_cast<MpiLink*>(link);
                its->close();
                delete its;
            }};
}

// What fails here is not heard of, or not heard by the other one, which is what beats are for.
void MpiWorld::send_beat(Rank to, Beat const& beat) {
    State::OwnBeat& own = state_->sent_beats[to];
    int is_done = 1;
    if (own.request != MPI_REQUEST_NULL && MPI_Test(&own.request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (is_done == 0) return; // the one before still stands in the way
    own.beat = beat;
    MPI_Isend(&own.beat, sizeof own.beat, MPI_BYTE, as_int(to), beat_tag, state_->beats, &own.request);
}

bool MpiWorld::receive_beat(Rank& from, Beat& beat) {
    if (state_->beat_to_come == MPI_REQUEST_NULL)
        MPI_Irecv(&state_->its_beat, sizeof(Beat), MPI_BYTE, MPI_ANY_SOURCE, beat_tag, state_->beats,
                  &state_->beat_to_come);
    int is_done = 0;
    MPI_Status status;
    if (MPI_Test(&state_->beat_to_come, &is_done, &status) != MPI_SUCCESS || is_done == 0) return false;
    from = static_cast<Rank>(status.MPI_SOURCE);
    beat = state_->its_beat;
    return true;
}

void MpiWorld::open_window(std::size_t bytes) {
    void* base = nullptr;
    check(MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, state_->control, static_cast<void*>(&base),
                           &state_->window));
    std::memset(base, 0, bytes);
    check(MPI_Win_lock_all(0, state_->window));
    check(MPI_Win_sync(state_->window));
}
void MpiWorld::close_window() {
    check(MPI_Win_unlock_all(state_->window));
    check(MPI_Win_free(&state_->window));
}
void MpiWorld::get(Rank rank, std::size_t at, std::span<std::byte> bytes) {
    check(MPI_Get(bytes.data(), as_int(bytes.size()), MPI_BYTE, as_int(rank), static_cast<MPI_Aint>(at),
                  as_int(bytes.size()), MPI_BYTE, state_->window));
    check(MPI_Win_flush(as_int(rank), state_->window));
}
void MpiWorld::put(Rank rank, std::size_t at, std::span<std::byte const> bytes) {
    check(MPI_Put(bytes.data(), as_int(bytes.size()), MPI_BYTE, as_int(rank), static_cast<MPI_Aint>(at),
                  as_int(bytes.size()), MPI_BYTE, state_->window));
    check(MPI_Win_flush(as_int(rank), state_->window));
}
std::uint64_t MpiWorld::compare_and_swap(Rank rank, std::size_t at, std::uint64_t expected, std::uint64_t desired) {
    std::uint64_t before = 0;
    check(MPI_Compare_and_swap(&desired, &expected, &before, MPI_UINT64_T, as_int(rank), static_cast<MPI_Aint>(at),
                               state_->window));
    check(MPI_Win_flush(as_int(rank), state_->window));
    return before;
}
} // namespace mxk::cluster
