// Recordings that nobody made: small traces of PyTorch, drawn from a seed.
#pragma once

#include <cstdint>
#include <string>

namespace profgauge::edit {

/// The same seed gives the same trace. Some 4 to 12 iterations of operators inside of operators,
/// some of which begin together, on up to two threads, with launches onto up to three streams,
/// copies, waits, ranges of meaningless names, and what recordings may have or lack: numbers,
/// arrows, shapes, a list of devices.
std::string DrawnTrace(std::uint64_t seed);

/// A Chrome trace of no profiler of GPUs: categories and phases are drawn.
std::string DrawnForeignTrace(std::uint64_t seed);

}  // namespace profgauge::edit
