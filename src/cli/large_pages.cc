#include "cli/large_pages.h"

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>

#include "base/parallel.h"

namespace profgauge::cli {
namespace {

constexpr char kVariable[] = "GLIBC_TUNABLES";
// Pages of 2 MB where the system gives them to those who ask; what was freed is used again.
constexpr char kKept[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304";
// One heap for all threads takes the least memory; many threads would wait for each other.
constexpr char kKeptInOneHeap[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:"
    "glibc.malloc.trim_threshold=4000000000:glibc.malloc.top_pad=4194304:"
    "glibc.malloc.arena_max=1";
constexpr std::size_t kFewThreads = 4;
// Below, a second start costs more than it brings.
constexpr off_t kLarge = 8'000'000;

// What needs no second start: nothing is given back to be asked for again, and more comes at a
// time. Such calls of the system are a thirtieth of the check of a small profile.
void KeepMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // The largest that is taken.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
}

bool IsLarge(const char* argument) {
  if (std::string_view(argument) == "-") return true;
  struct stat status {};
  if (stat(argument, &status) != 0) return false;
  return S_ISREG(status.st_mode) ? status.st_size >= kLarge : !S_ISCHR(status.st_mode);
}

}  // namespace

void StartWithLargePages(char** arguments) {
  const char* const set = std::getenv(kVariable);
  if (set != nullptr && std::string_view(set) == kKeptInOneHeap) ShareOneHeap();
  if (arguments[0] == nullptr || set != nullptr) return;
  bool is_large = false;
  for (char** argument = arguments + 1; *argument != nullptr; ++argument) {
    if (std::string_view(*argument).starts_with("--max-memory")) return;
    is_large = is_large || IsLarge(*argument);
  }
  if (!is_large) return KeepMemory();
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  if (length <= 0 || length == static_cast<ssize_t>(sizeof(program))) return;
  program[length] = '\0';
  if (setenv(kVariable, Cores() <= kFewThreads ? kKeptInOneHeap : kKept, 1) != 0) return;
  execv(program, arguments);
  unsetenv(kVariable);
}

}  // namespace profgauge::cli
