#include "cli/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "base/cgroup.h"
#include "base/errors.h"
#include "base/format.h"

namespace profgauge::cli {
namespace {

// Memory in use when an allocation failed; -1: unknown.
std::atomic<std::int64_t> in_use = -1;

// Bytes of data and stacks of this process, from /proc/self/statm. Without allocating.
std::int64_t DataInUse() {
  char text[256] = {};
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return -1;
  constexpr int kDataField = 5;
  char* at = text;
  std::int64_t pages = -1;
  for (int field = 0; field <= kDataField; ++field) pages = std::strtoll(at, &at, 10);
  return pages * sysconf(_SC_PAGESIZE);
}

void NoteFailure() {
  in_use = DataInUse();
  throw std::bad_alloc();
}

}  // namespace

void WatchMemory() { std::set_new_handler(NoteFailure); }

std::uint64_t MemoryToUse(std::optional<std::int64_t> allowed) {
  if (allowed) return static_cast<std::uint64_t>(*allowed);
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  if (pages > 0 && page > 0) {
    bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  }
  if (const auto of_job = ReadCgroupLimits().memory) bytes = std::min(bytes, *of_job);
  return bytes / 4 * 3;
}

Status LimitMemory(std::int64_t bytes) {
  constexpr std::size_t kStack = std::size_t{1} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min(static_cast<rlim_t>(bytes), limit.rlim_max);
    if (setrlimit(RLIMIT_DATA, &limit) == 0) return {};
  }
  return Fail(UsageError("usage/bad-value",
                         fmt::format("the system does not take a limit of memory: {}",
                                     std::generic_category().message(errno)),
                         "leave out `--max-memory`, or limit the job instead"));
}

void LiftMemoryLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_DATA, &limit);
}

Error OutOfMemory(std::optional<std::int64_t> allowed) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "input/too-large";
  const std::int64_t used = in_use;
  error.message = used < 0 ? "there is not enough memory for this run"
                           : fmt::format("the run needs more than {} of memory",
                                         FormatBytes(static_cast<double>(used)));
  if (allowed) {
    error.message +=
        fmt::format(", and `--max-memory` allows {}", FormatBytes(static_cast<double>(*allowed)));
    error.notes = {
        "help: allow more, record fewer iterations, or leave out call stacks and shapes"};
  } else {
    error.notes = {
        "help: use a machine with more memory, record fewer iterations, or leave out call stacks "
        "and shapes"};
  }
  return error;
}

}  // namespace profgauge::cli
