// The beginning of a JSON document in which long values are cut, so that all its keys are seen.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The document without blanks, of each value of it only the first 512 bytes, closed by what is
/// open; of a list of values the first three. Ends with the value of `traceEvents`, at kSniffBytes
/// or after 4 GiB of input. For a document whose first value is longer than a head:
///
///   {"seed": [1, 2, 3, … 70 kB …], "moves": [[0, 1], …]}      {"seed":[1,2,3],"moves":[[0,1],…]}
///
/// Brackets and texts are counted; nothing is parsed or stored. O(input).
Result<std::string> CondensedJson(ByteSource& source);

}  // namespace profgauge::readers
