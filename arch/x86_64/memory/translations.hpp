// What the handlers have of arch/translations.hpp.
#pragma once

#include <atomic>

#include "arch/translations.hpp"

namespace mxk::arch {

// Both set by set_handler(), before anybody is interrupted or activates an address space.
extern constinit std::atomic<translations::Handler> translations_handler;
extern constinit translations::Abilities translation_abilities;

} // namespace mxk::arch
