// mxk::Set<Key>, a set of keys for ordinary threads: see hashtable/bulk/bulk_set.hpp, where it is.
#pragma once

#include "hashtable/bulk/bulk_set.hpp"
#include "main/library/runtime.hpp"
