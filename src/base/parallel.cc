#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

namespace profgauge {
namespace {

std::atomic<std::size_t> limit = 0;    // 0: one per core.
std::atomic<std::size_t> helping = 0;  // Threads of all calls, without callers.
std::atomic<bool> shares_heap = false;

std::size_t CoresAllowed() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto quota = ReadCgroupLimits().cores;
  if (!quota || *quota >= static_cast<double>(cores)) return cores;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(*quota)));
}

/// Reserves one more helping thread, if allowed; the thread releases it at its end.
bool MayHelp(std::size_t threads) {
  std::size_t now = helping;
  while (now + 1 < threads) {
    if (helping.compare_exchange_weak(now, now + 1)) return true;
  }
  return false;
}

}  // namespace

std::size_t Cores() {
  static const std::size_t cores = CoresAllowed();
  const std::size_t most = limit;
  return most == 0 ? cores : most;
}

void LimitThreads(std::size_t most) { limit = most; }

void ShareOneHeap() { shares_heap = true; }

std::size_t ThreadsForAllocation() { return shares_heap ? 1 : 0; }

// `next` assigns indices one by one, so a thread with short calls makes more of them. The caller's
// thread works too: if no other thread may help, it makes all calls. Only helpers are counted by
// `helping`, which is process-wide and so includes nested calls.
void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most) {
  constexpr std::size_t kMostThreads = 32;
  const std::size_t threads = std::min(Cores(), kMostThreads);
  const std::size_t wanted = std::min({count, threads, most == 0 ? threads : most});
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  const auto help = [&run] {
    run();
    --helping;
  };
  std::vector<std::thread> others;
  others.reserve(wanted);
  for (std::size_t i = 1; i < wanted && MayHelp(threads); ++i) {
    try {
      others.emplace_back(help);
    } catch (const std::exception&) {
      --helping;
      break;
    }
  }
  run();
  for (std::thread& other : others) other.join();
  // Rethrows for the lowest index, so that the error does not depend on the number of threads.
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

namespace {

/// The first line of a file; empty if there is none.
std::string LineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Removes and returns the number at the start of `text`; nullopt for "max" and "-1".
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return number;
}

std::optional<std::uint64_t> NumberIn(const std::string& path) {
  const std::string line = LineOf(path);
  std::string_view text = line;
  return TakeNumber(text);
}

template <class T>
void Lower(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<double> Quotient(std::optional<std::uint64_t> quota,
                               std::optional<std::uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// Version 2: "200000 100000" is a quota and a period in microseconds; "max 100000": no limit.
std::optional<double> CoresOf(const std::string& path) {
  const std::string line = LineOf(path);
  std::string_view text = line;
  const auto quota = TakeNumber(text);
  return quota ? Quotient(quota, TakeNumber(text)) : std::nullopt;
}

// Applies the limits of one group, for all controllers found in `folder`.
void LowerBy(const std::string& folder, CgroupLimits& limits) {
  Lower(limits.memory, NumberIn(folder + "/memory.max"));
  Lower(limits.cores, CoresOf(folder + "/cpu.max"));
  Lower(limits.memory, NumberIn(folder + "/memory.limit_in_bytes"));
  Lower(limits.cores,
        Quotient(NumberIn(folder + "/cpu.cfs_quota_us"), NumberIn(folder + "/cpu.cfs_period_us")));
}

// Version 1 mounts each controller separately, or several together.
std::string MountOf(const std::string& root, std::string_view controllers) {
  const std::string base = root + "/sys/fs/cgroup";
  return controllers.empty() ? base : base + "/" + std::string(controllers);
}

}  // namespace

CgroupLimits ReadCgroupLimits(const std::string& root) {
  CgroupLimits limits;
  std::ifstream groups(root + "/proc/self/cgroup");
  // "0::/slurm/job_7", or in version 1 "4:memory:/slurm/job_7".
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string mount = MountOf(root, line.substr(first + 1, second - first - 1));
    std::string group = line.substr(second + 1);
    // A container may see its own group as the root, or with its path on the host, which is not
    // mounted in it: then the limits are at the root.
    //
    //   0::/slurm/job_7/step_0    limits of   /sys/fs/cgroup/slurm/job_7/step_0
    //                                         /sys/fs/cgroup/slurm/job_7
    //                                         /sys/fs/cgroup/slurm
    //                                         /sys/fs/cgroup             the smallest one counts
    while (true) {
      LowerBy(mount + group, limits);
      if (group.empty()) break;
      group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
  }
  return limits;
}

}  // namespace profgauge
