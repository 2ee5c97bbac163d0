// Where the program's own time goes: --stats, and one line per phase at -v.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cli {

class Console;

/// Times the phases of one run, which follow one another.
class Stats {
 public:
  explicit Stats(Console& console) : console_(console), started_(Clock::now()), last_(started_) {}

  /// The phase since the end of the last one is over. At -v it is reported immediately. Phases with
  /// one name are separate rows.
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

  Console& console_;
  Clock::time_point started_, last_;
  std::vector<Phase> phases_;
};

}  // namespace profgauge::cli
