// Shortens a JSON document by cutting long values, so that all its keys are seen.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// Returns the document without blanks. Cuts each value after 512 bytes, each list of values after
/// three elements, and closes open brackets. Stops after `traceEvents`, at kSniffBytes, or after 4
/// GiB of input. Needed for a document whose first value is very long:
///
///   {"seed": [1, 2, 3, … 70 kB …], "moves": [[0, 1], …]}      {"seed":[1,2,3],"moves":[[0,1],…]}
///
/// Only tracks brackets and strings; parses and stores nothing. O(input).
Result<std::string> CondensedJson(ByteSource& source);

}  // namespace profgauge::readers
