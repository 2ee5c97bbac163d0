#include "cli/stats.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <iterator>

namespace profgauge::cli {
namespace {

double PeakMemoryBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;  // Linux counts in KiB.
}

}  // namespace

void Stats::EndPhase(std::string_view name) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  phases_.push_back({std::string(name), seconds});
}

std::string Stats::Table() const {
  std::string table;
  const auto out = std::back_inserter(table);
  const double total = std::chrono::duration<double>(last_ - started_).count();
  for (const Phase& phase : phases_) {
    fmt::format_to(out, "  {:<18} {:>8.3f} s\n", phase.name, phase.seconds);
  }
  fmt::format_to(out, "  {:<18} {:>8.3f} s\n", "total", total);
  fmt::format_to(out, "  {:<18} {:>8.1f} MB\n", "peak memory", PeakMemoryBytes() / 1e6);
  return table;
}

}  // namespace profgauge::cli
