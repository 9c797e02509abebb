// mxk::Table<Key, Value>, a hash table for ordinary threads: see hashtable/bulk/bulk_table.hpp, where it is.
#pragma once

#include "hashtable/bulk/bulk_table.hpp"
#include "main/library/runtime.hpp"
