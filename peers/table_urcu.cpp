// liburcu's rculfhash: a split-ordered list without locks whose readers are protected by RCU. Flavour QSBR, whose
// readers pay nothing but a quiescent state now and then. The nodes are made beforehand, as MXK's are; an erased one is
// given back with the whole table, when nobody can be reading it. With a bucket for every key from the start, so that
// it never grows; and from few buckets on.
#include <pthread.h>
#include <sched.h>
#include <urcu/rculfhash.h>
#include <urcu/urcu-qsbr.h>

#include <cstring>
#include <new>

#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

struct Node {
    cds_lfht_node link;
    std::uint64_t key;
    std::uint64_t value;
};
static_assert(sizeof(Node) == 32);

// `link` is the node's first member.
Node* node_of(cds_lfht_node* link) {
    return reinterpret_cast<Node*>(link);
}
int has_key(cds_lfht_node* link, void const* key) {
    return node_of(link)->key == *static_cast<std::uint64_t const*>(key) ? 1 : 0;
}

// The calling thread is a reader.
class Reader {
  public:
    Reader() { urcu_qsbr_register_thread(); }
    Reader(Reader const&) = delete;
    Reader& operator=(Reader const&) = delete;
    ~Reader() { urcu_qsbr_unregister_thread(); }
};

// The library's table. Must be empty before it can be destroyed.
class Table {
  public:
    // A power of two of buckets. Flags: CDS_LFHT_AUTO_RESIZE and the like.
    Table(std::size_t buckets, int flags)
        : table_(cds_lfht_new_flavor(buckets, 1, 0, flags, &urcu_qsbr_flavor, nullptr)) {
        if (table_ == nullptr) throw std::bad_alloc();
    }
    Table(Table const&) = delete;
    Table& operator=(Table const&) = delete;
    ~Table() {
        clear();
        urcu_qsbr_synchronize_rcu(); // the library's own thread may still go over the nodes, if the table is growing
        cds_lfht_destroy(table_, nullptr);
    }

    [[nodiscard]] cds_lfht* get() const { return table_; }

  private:
    void clear() {
        Reader const reader;
        cds_lfht_iter place;
        cds_lfht_first(table_, &place);
        while (cds_lfht_node* const link = cds_lfht_iter_get_node(&place)) {
            cds_lfht_next(table_, &place);
            cds_lfht_del(table_, link);
        }
    }

    cds_lfht* table_;
};

class RcuTable {
    // A core's nodes.
    class alignas(cache_line_bytes) Supply {
      public:
        Supply(CoreId core, std::size_t nodes)
            : core_(core) {
            add(nodes);
        }
        // The node for the next key. Throws where there is no memory.
        Node& next() {
            if (used_ == blocks_.back().size()) [[unlikely]]
                add(further);
            return blocks_.back()[used_];
        }
        void take() { ++used_; }
        void make_ready(std::size_t nodes) {
            if (blocks_.back().size() - used_ < nodes) add(nodes);
        }

      private:
        static constexpr std::size_t further = 16 * 1024;
        void add(std::size_t nodes) {
            blocks_.push_back(zeroed_near<Node>(core_, nodes));
            used_ = 0;
        }
        CoreId core_;
        std::vector<NodeArray<Node>> blocks_;
        std::size_t used_ = 0; // of the last one
    };

  public:
    // Nodes for `capacity` keys, a share of them for each core; one that inserts more, from a shared queue, makes more.
    RcuTable(std::size_t capacity, Cores cores, std::size_t buckets, int flags)
        : table_(buckets, flags) {
        for (CoreId const core : cores) supplies_.emplace_back(core, share_of(capacity, cores));
    }

    void make_ready(std::size_t core, std::size_t inserts) { supplies_[core].make_ready(inserts); }

    // Walks over all nodes.
    std::size_t size() {
        Reader const reader;
        long before = 0;
        long after = 0;
        unsigned long count = 0;
        cds_lfht_count_nodes(table_.get(), &before, &count, &after);
        return count;
    }

    class Session : public AtomicValues<Session> {
      public:
        Session(RcuTable& table, std::size_t core)
            : table_(table.table_.get())
            , supply_(table.supplies_[core]) {}

        bool insert(std::uint64_t key, std::uint64_t value) {
            report_quiescence();
            Node& node = supply_.next();
            cds_lfht_node_init(&node.link);
            node.key = key;
            node.value = value;
            if (cds_lfht_add_unique(table_, key, &has_key, &key, &node.link) != &node.link) return false;
            supply_.take();
            return true;
        }
        // A node that is there keeps its place.
        std::uint64_t* word_of(std::uint64_t key) {
            cds_lfht_node* const link = look_up(key);
            return link != nullptr ? &node_of(link)->value : nullptr;
        }
        bool erase(std::uint64_t key) {
            cds_lfht_node* const link = look_up(key);
            return link != nullptr && cds_lfht_del(table_, link) == 0;
        }

      private:
        // No reference is held between two operations: every so many of them, the library is told so.
        void report_quiescence() {
            if (++operations_ % 1024 == 0) urcu_qsbr_quiescent_state();
        }
        cds_lfht_node* look_up(std::uint64_t key) {
            report_quiescence();
            cds_lfht_iter place;
            cds_lfht_lookup(table_, key, &has_key, &key, &place);
            return cds_lfht_iter_get_node(&place);
        }

        Reader reader_;
        cds_lfht* table_;
        Supply& supply_;
        std::uint64_t operations_ = 0;
    };

  private:
    std::vector<Supply> supplies_; // by core; outlive the table, which has their nodes
    Table table_;
};

constexpr Peer urcu_lfht = table_peer(
    "urcu-lfht", MXK_PEER_LIBRARY, "rculfhash, QSBR, a bucket per key from the start, nodes made before; hash: the key",
    [](std::size_t capacity, Cores cores) { return measured<RcuTable>(capacity, cores, std::bit_ceil(capacity), 0); });
MXK_REGISTER(mxk_peers, Peer, urcu_lfht);

// The calling thread, and the threads that it makes, may run on any processor while this lives. A thread of the
// library's adds buckets when chains become long. Left on the processor where the table is made, it would have to wait
// there for the core that inserts, while chains get ever longer: 8 M keys took two minutes.
class AnyProcessor {
  public:
    AnyProcessor() {
        pthread_getaffinity_np(pthread_self(), sizeof(before_), &before_);
        cpu_set_t all;
        std::memset(&all, -1, sizeof(all));
        pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
    }
    AnyProcessor(AnyProcessor const&) = delete;
    AnyProcessor& operator=(AnyProcessor const&) = delete;
    ~AnyProcessor() { pthread_setaffinity_np(pthread_self(), sizeof(before_), &before_); }

  private:
    cpu_set_t before_;
};

// Its buckets are the C library's memory: two words each, up to twice as many as keys, and as many again that are given
// back on the way.
class GrowingUrcu : LibraryMemory, public RcuTable {
  public:
    GrowingUrcu(std::size_t capacity, Cores cores, AnyProcessor const& = {})
        : LibraryMemory(4 * std::bit_ceil(capacity) * sizeof(cds_lfht_node))
        , RcuTable(capacity, cores, growing_start, CDS_LFHT_AUTO_RESIZE | CDS_LFHT_ACCOUNTING) {}
};

constexpr Peer urcu_lfht_growing =
    table_peer("urcu-lfht-growing", MXK_PEER_LIBRARY,
               "rculfhash, QSBR, grows from 1024 buckets by a thread of its own, nodes made before; hash: the key",
               &create_table<GrowingUrcu>);
MXK_REGISTER(mxk_peers, Peer, urcu_lfht_growing);

} // namespace
} // namespace mxk::bench
