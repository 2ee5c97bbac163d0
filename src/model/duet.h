// Two programs, or two versions of one, that ran alternately on one machine: blocks of iterations
// of A and of B (`duet.json`).
//
//   order ABBA     A: 12 11 11 | B: 10 9 9 | B: 9 9 9 | A: 11 11 11     lengths of iterations, ms
//
// Blocks alternate so that a drift of the machine meets both sides alike. A reader fills this
// (readers/run_side/document.cc), the gate compares the sides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// How the sides share processes, which decides how much noise their blocks share.
enum class DuetProcess : std::uint8_t {
  kBothLoaded,  ///< One process each, for all blocks: they differ by the noise of one start.
  kRestarted,   ///< A process for each block, or for some of them.
  kOne,         ///< One process for both, with a switch inside: no noise of starts.
};

struct DuetBlock {
  bool is_b = false;
  std::int64_t start = -1;  ///< Number of the process; -1: not stated.
  std::vector<Ns> lengths;  ///< Lengths of its iterations, in order.
};

struct DuetSide {
  std::string commit;
  std::map<std::string, double, std::less<>> work;  ///< Per iteration: "samples".
};

struct Duet {
  std::string order;  ///< "ABBA"; information.
  DuetProcess process = DuetProcess::kRestarted;
  /// Leading iterations of each block that do not count. At least as many as the longest block has
  /// came before the first block, and no iteration of a block is excluded.
  std::int64_t warmup = 0;
  DuetSide a, b;
  std::vector<DuetBlock> blocks;  ///< In the order in which they ran.
};

}  // namespace profgauge
