#pragma once

#include "base/physical_reader.hpp"
