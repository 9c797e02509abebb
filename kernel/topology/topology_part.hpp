// What `topology` shows besides the machine, where a program knows more: registered where it is defined.
#pragma once

#include "base/json.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace mxk::topology {

struct Part {
    void (*print)(TextSink& out);
    void (*write_json)(JsonWriter& json); // fields of the object that is open
};
MXK_REGISTRY(mxk_topology_parts, Part, registered_parts)

} // namespace mxk::topology
