#include "cli/large_pages.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/parallel.h"

namespace profgauge::cli {
namespace {

constexpr char kVariable[] = "GLIBC_TUNABLES";
// Pages of 2 MB where the system gives them to programs that ask; freed memory is used again.
constexpr char kKept[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304";
// With separate heaps, each thread keeps room there that others do not get: for one profile 370
// MB for 190 on 16 cores. A thread asks for memory in a hundredth of its time, so that one heap
// serves the threads of one profile; those of many profiles side by side would wait.
constexpr char kKeptInOneHeap[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304:"
    "glibc.malloc.arena_max=1";
constexpr std::size_t kFewThreads = 4;
// Below, a second start costs more than it brings.
constexpr off_t kWorthSecondStart = 8'000'000;

// Settings without a second start: no memory is returned only to be requested again, and more is
// taken at a time. Such calls of the system are a thirtieth of the check of a small profile.
void KeepMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The largest that is taken.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

enum class Size : std::uint8_t { kSmall, kLarge, kMany };

/// A folder may hold many profiles.
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
  const bool is_one = large == 1;  // A folder beside it is for outputs.
  const char* const kept = is_one || Cores() <= kFewThreads ? kKeptInOneHeap : kKept;
  if (setenv(kVariable, kept, 1) != 0) return;
  execv(program, arguments);
  unsetenv(kVariable);
}

}  // namespace profgauge::cli
