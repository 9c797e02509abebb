// Two threads that wait for each other: one puts numbers into a ring of eight places, the other takes them out.
#include <mxk/runtime.hpp>
#include <mxk/tasks/threads/semaphore.hpp>
#include <mxk/tasks/threads/thread.hpp>

#include <array>
#include <cstdint>
#include <iostream>

namespace {

constexpr std::uint64_t numbers = 100'000;

struct Ring {
    std::array<std::uint64_t, 8> places{};
    mxk::Semaphore free{8};
    mxk::Semaphore filled{0};
};

// Both threads; false if one could not be made.
bool run(Ring& ring, mxk::CoreId producer_core, mxk::CoreId consumer_core, std::uint64_t& sum) {
    auto produce = [&] {
        for (std::uint64_t i = 1; i <= numbers; ++i) {
            ring.free.wait();
            ring.places[i % ring.places.size()] = i;
            ring.filled.post();
        }
    };
    auto consume = [&] {
        for (std::uint64_t i = 1; i <= numbers; ++i) {
            ring.filled.wait();
            sum += ring.places[i % ring.places.size()];
            ring.free.post();
        }
    };
    auto producer = mxk::Thread::create({.core = producer_core, .name = "producer"}, produce);
    if (!producer) return std::cerr << "producer_consumer: " << producer.error().message() << '\n', false;
    auto consumer = mxk::Thread::create({.core = consumer_core, .name = "consumer"}, consume);
    if (!consumer) {
        std::cerr << "producer_consumer: " << consumer.error().message() << '\n';
        for (std::uint64_t i = 0; i < numbers; ++i) ring.free.post(); // so that the other one ends
        return false;
    }
    return producer.value().join().ok() && consumer.value().join().ok(); // core 0 runs its tasks meanwhile
}

} // namespace

int main() {
    auto started = mxk::Runtime::start({.cores = 2});
    if (!started) {
        std::cerr << "producer_consumer: " << started.error().message() << '\n';
        return 1;
    }
    Ring ring;
    std::uint64_t sum = 0;
    bool done = false;
    started.value().run([&](mxk::Worker&) { done = run(ring, mxk::core_id(0), mxk::core_id(1), sum); });
    if (!done) return 1;
    std::cout << "the numbers up to " << numbers << " make " << sum << '\n';
    return sum == numbers * (numbers + 1) / 2 ? 0 : 1;
}
