// What engines over a table have in common (table_access.hpp): all but how operations come to the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bench/table/engine.hpp"

namespace mxk::bench {

template <typename Access> class AccessEngine : public Engine {
  public:
    Result<void> reset() override { return access_.reset(); }

    [[nodiscard]] std::size_t bucket_count() const final { return access_.bucket_count(); }

    void find_all(std::span<std::uint64_t const> keys, std::span<bool> found) const final {
        for (std::uint64_t const key : keys) access_.prefetch(key);
        for (std::size_t i = 0; i < keys.size(); ++i) found[i] = access_.holds(keys[i]);
    }
    [[nodiscard]] Content content() const final { return access_.content(); }
    Result<void> change_owners([[maybe_unused]] std::size_t owners) final {
        if constexpr (requires { access_.change_owners(owners); }) return access_.change_owners(owners);
        return Error("the owners of this table cannot change");
    }
    [[nodiscard]] std::size_t bytes() const final { return access_.bytes(); }
    Result<void> settle() final {
        if constexpr (requires { access_.settle(); }) return access_.settle();
        return {};
    }

  protected:
    explicit AccessEngine(Access access)
        : access_(std::move(access)) {}
    ~AccessEngine() = default;

    [[nodiscard]] Access& access() { return access_; }

  private:
    Access access_;
};

} // namespace mxk::bench
