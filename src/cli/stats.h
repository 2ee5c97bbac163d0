// Measures where the program spends its time: the table at the end of -v.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cli {

/// Times the consecutive phases of one run.
class Stats {
 public:
  Stats() : started_(Clock::now()), last_(started_) {}

  /// Ends the phase that began when the last one ended. Phases of the same name are separate rows.
  void EndPhase(std::string_view name);
  /// The table of phases, total time and peak memory, for standard error. The total ends with the
  /// last phase.
  std::string Table() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Phase {
    std::string name;
    double seconds = 0;
  };

  Clock::time_point started_, last_;
  std::vector<Phase> phases_;
};

}  // namespace profgauge::cli
