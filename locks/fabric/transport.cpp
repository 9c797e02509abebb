#include "locks/fabric/transport.hpp"

namespace mxk::locks {

Displacement Transport::make(std::size_t bytes, std::size_t alignment, void (*construct)(std::byte* at)) {
    Displacement const at = reserve(bytes, alignment);
    for (WorkerNumber worker = 0; worker < topology_->workers(); ++worker)
        if (constructs(worker)) construct(address(worker, at));
    return at;
}

} // namespace mxk::locks
