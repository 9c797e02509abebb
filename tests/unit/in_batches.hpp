// The way of operations that travel in batches, with a client on each core: a BatchClient, or one that reads in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hashtable/batch/batch_client.hpp"
#include "tasks/workers.hpp"
#include "tests/unit/travelling_operation.hpp"

namespace mxk::test {

template <typename Regions, template <typename, typename, typename, typename> typename ClientOf = BatchClient>
class InBatches final : public Way {
  public:
    explicit InBatches(Regions& regions)
        : batched_(Batched<Regions>::create(regions).value()) {
        for (std::size_t i = 0; i < workers::count(); ++i) {
            Worker& worker = workers::of(core_id(i));
            auto memory = Client::Memory::create(batched_, worker.node(), 0);
            clients_.push_back(std::make_unique<Client>(worker, batched_, std::move(memory).value()));
        }
    }

    void send(Worker& worker, TravellingOperation& operation) override {
        operation.way = this;
        submit(worker, operation);
    }

  private:
    struct Completed {
        void found(std::uint64_t, std::uint64_t value, TravellingOperation* operation) const {
            operation->event.result = TableResult::Yes;
            operation->event.value = value;
            operation->return_to_client(Worker::current());
        }
        void not_found(std::uint64_t, TravellingOperation* operation) const {
            operation->event.result = TableResult::No;
            operation->return_to_client(Worker::current());
        }
        void operator()(Worker& worker, CookieBatch<TravellingOperation*> const& batch) const {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                TravellingOperation& operation = *batch.cookie(i);
                operation.event.result = batch.result(i);
                bool const has_value = batch.operation(i) == Operation::Find || batch.operation(i) == Operation::Modify;
                if (has_value && batch.result(i) == TableResult::Yes) operation.event.value = batch.value(i);
                operation.return_to_client(worker);
            }
        }
    };
    using Client = ClientOf<Regions, Completed, TravellingOperation*, NoPace>;

    static void submit(Worker& worker, Task& task) {
        auto& operation = static_cast<TravellingOperation&>(task);
        Client& client = *static_cast<InBatches*>(operation.way)->clients_[index(worker.core())];
        Event const& event = operation.event;
        std::uint64_t const value = event.operation == Operation::Modify ? modify_addend : event.value;
        if (client.submit(event.operation, event.key, value, &operation)) return;
        operation.body = &InBatches::submit;
        client.when_room(operation);
    }

    Batched<Regions> batched_;
    std::vector<std::unique_ptr<Client>> clients_;
};

} // namespace mxk::test
