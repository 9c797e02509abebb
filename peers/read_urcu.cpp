// liburcu's read sections as kinds of `bench rcu-read`: flavour QSBR, whose section is nothing and whose threads report
// quiescent states; and flavour memb, whose sections are plain stores beside which the writer uses membarrier(2). Both
// as functions that are inlined, which their headers permit.
#include <urcu/static/urcu-memb.h>
#include <urcu/static/urcu-qsbr.h>
#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>

#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {
namespace {

// Sections and threads by these functions of a flavour.
template <void (*lock)(), void (*unlock)(), void (*add)(), void (*remove)(), void (*quiesce)(), void (*synchronize)()>
struct Readers {
    class Reader {
      public:
        struct Section {
            explicit Section(Reader&) { lock(); }
            ~Section() { unlock(); }
            Section(Section const&) = delete;
            Section& operator=(Section const&) = delete;
        };
        static bool must_look() { return false; }
        Reader(Readers&, std::size_t) { add(); }
        ~Reader() { remove(); }
        Reader(Reader const&) = delete;
        Reader& operator=(Reader const&) = delete;
        static void quiescent() { quiesce(); }
    };
    [[nodiscard]] static bool is_sound(std::span<ReadTurn const> /*turns*/) {
        synchronize(); // ends, since nobody is registered any more
        return true;
    }
    static Result<Sample> run(ReadRun const& run) {
        Readers shared;
        return read_in_tasks(run, shared);
    }
};

using Qsbr = Readers<_urcu_qsbr_read_lock, _urcu_qsbr_read_unlock, urcu_qsbr_register_thread,
                     urcu_qsbr_unregister_thread, _urcu_qsbr_quiescent_state, urcu_qsbr_synchronize_rcu>;
constexpr ReadKind urcu_qsbr{.name = "urcu-qsbr",
                             .summary = "liburcu's QSBR, with a quiescent state every 1024 sections",
                             .library = MXK_PEER_LIBRARY,
                             .run = &Qsbr::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, urcu_qsbr);

using Memb = Readers<_urcu_memb_read_lock, _urcu_memb_read_unlock, urcu_memb_register_thread,
                     urcu_memb_unregister_thread, [] {}, urcu_memb_synchronize_rcu>;
constexpr ReadKind urcu_memb{
    .name = "urcu-memb", .summary = "liburcu's membarrier flavour", .library = MXK_PEER_LIBRARY, .run = &Memb::run};
MXK_REGISTER(mxk_read_kinds, ReadKind, urcu_memb);

} // namespace
} // namespace mxk::bench
