#include "cli/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/errors.h"
#include "base/format.h"
#include "base/parallel.h"

namespace profgauge::cli {
namespace {

// The memory that was in use when an allocation last failed; -1 if unknown.
std::atomic<std::int64_t> in_use = -1;

// The bytes of data and stacks of this process, from /proc/self/statm. Does not allocate.
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

// The new-handler. It must not allocate, and it must throw: if it returned, operator new would call
// it again.
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

// RLIMIT_DATA counts the reserved stacks of threads, even if they are hardly used: many threads
// with default stacks would reach a small limit before any profile is read.
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

namespace {

constexpr char kVariable[] = "GLIBC_TUNABLES";
// Uses pages of 2 MB if the system gives them on request; keeps freed memory for reuse.
constexpr char kKept[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304";
// Uses one heap for all threads: with separate heaps, each thread keeps memory that others cannot
// use (370 MB instead of 190 MB for one profile on 16 cores). Threads of one profile spend only a
// hundredth of their time allocating; threads of many parallel profiles would wait for each other.
constexpr char kKeptInOneHeap[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304:"
    "glibc.malloc.arena_max=1";
constexpr std::size_t kFewThreads = 4;
// For smaller inputs, starting again costs more than it saves.
constexpr off_t kWorthSecondStart = 8'000'000;

// Keeps memory without a second start: it is not returned only to be requested again, and more is
// requested at a time. Such system calls take a thirtieth of the check of a small profile.
void KeepMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The largest possible value.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

enum class Size : std::uint8_t { kSmall, kLarge, kMany };

/// The size class of an input. A folder may have many profiles.
Size SizeOf(const char* argument) {
  if (std::string_view(argument) == "-") return Size::kLarge;
  struct stat status {};
  if (stat(argument, &status) != 0 || S_ISCHR(status.st_mode)) return Size::kSmall;
  if (S_ISDIR(status.st_mode)) return Size::kMany;
  return S_ISREG(status.st_mode) && status.st_size < kWorthSecondStart ? Size::kSmall
                                                                       : Size::kLarge;
}

}  // namespace

void StartWithLargePages(char** arguments) {
  const char* const set = std::getenv(kVariable);
  if (set != nullptr && std::string_view(set) == kKeptInOneHeap) ShareOneHeap();
  if (arguments[0] == nullptr || set != nullptr) return;
  int large = 0;
  bool has_folder = false;
  for (char** argument = arguments + 1; *argument != nullptr; ++argument) {
    if (std::string_view(*argument).starts_with("--max-memory")) return;
    const Size size = SizeOf(*argument);
    large += size == Size::kLarge ? 1 : 0;
    has_folder = has_folder || size == Size::kMany;
  }
  if (large == 0 && !has_folder) return KeepMemory();
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  if (length <= 0 || length == static_cast<ssize_t>(sizeof(program))) return;
  program[length] = '\0';
  const bool is_one = large == 1;  // A second folder is for outputs.
  const char* const kept = is_one || Cores() <= kFewThreads ? kKeptInOneHeap : kKept;
  if (setenv(kVariable, kept, 1) != 0) return;
  execv(program, arguments);
  unsetenv(kVariable);
}

}  // namespace profgauge::cli
