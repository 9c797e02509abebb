// What the fabrics of the tests keep for a lock, of whatever words: a record where the lock is, and one for each user.
#pragma once

namespace mxk::test {

// Fabric: derived from this one; fail(what) ends the run.
template <typename Fabric> struct FabricRecords {
    template <typename Record> class Home {
      public:
        template <typename Site> explicit Home(Site const& /*site*/) {}
        template <typename Word> Word& far(Word Record::*word) { return record_.*word; }
        template <typename Word> Word const& far(Word Record::*word) const { return record_.*word; }
        Record& direct() { return record_; }

      private:
        Record record_{};
    };

    template <typename Record> class Records {
      public:
        struct Own {
            Record record{};
        };
        template <typename Site> explicit Records(Site const& /*site*/) {}
        static Record& own(Own& own) { return own.record; }
        static Record* ref(Own& own) { return &own.record; }
        template <typename Word> static Word& far(Record* ref, Word Record::*word) { return at(ref)->*word; }
        static Record& direct(Record* ref) { return *at(ref); }
    };

    template <typename T> static T* at(T* ref) {
        if (ref == nullptr) Fabric::fail("what is nowhere is used");
        return ref;
    }
};

} // namespace mxk::test
