// mxk::Table<Key, Value>, a hash table for ordinary threads: see hashtable/bulk/table.hpp, where it is.
#pragma once

#include "hashtable/bulk/table.hpp"
#include "main/library/runtime.hpp"
