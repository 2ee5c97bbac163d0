// A duet (`duet.json`): two programs, or two versions of one, that ran alternately on one machine,
// in blocks of iterations of A and of B.
//
//   order ABBA     A: 12 11 11 | B: 10 9 9 | B: 9 9 9 | A: 11 11 11     lengths of iterations, ms
//
// Blocks alternate so that a drift of the machine affects both sides equally. A reader
// (readers/run_side/document.cc) fills this; the gate compares the sides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// How the two sides share processes, which decides which noise their blocks have in common.
enum class DuetProcess : std::uint8_t {
  kBothLoaded,  ///< One process per side for all blocks: they differ by the noise of one start.
  kRestarted,   ///< A new process for each block, or for some blocks.
  kOne,         ///< One process for both sides, which switches between them: no noise of starts.
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
  /// Leading iterations of each block that are not measured. The program ran at least as many as
  /// the longest block before the first block; the blocks' own iterations all count.
  std::int64_t warmup = 0;
  DuetSide a, b;
  std::vector<DuetBlock> blocks;  ///< In the order in which they ran.
};

}  // namespace profgauge
