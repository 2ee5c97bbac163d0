#include "base/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace profgauge {
namespace {

// Data for a signal handler: fixed slots, filled and cleared by plain stores, because
// neither locks nor memory allocation are allowed there.
constexpr std::size_t kSlots = 64;
constexpr std::size_t kSlotBytes = 4096;
char slot_paths[kSlots][kSlotBytes];
std::atomic<bool> slot_used[kSlots];

// A path longer than a slot, or one more than kSlots open outputs, is not remembered: a signal then
// does not remove that temporary file.
void Remember(const std::string& path) {
  if (path.size() >= kSlotBytes) return;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slot_used[i]) continue;
    std::memcpy(slot_paths[i], path.c_str(), path.size() + 1);
    slot_used[i] = true;
    return;
  }
}

// The name of a file is on disk only when its folder is.
bool SyncFolder(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  // Some file systems have no such call for folders.
  const bool is_done = ::fsync(descriptor) == 0 || errno == EINVAL;
  ::close(descriptor);
  return is_done;
}

}  // namespace

int OpenTemporary(const std::string& target, std::string& temporary) {
  constexpr int kTries = 100;
  int descriptor = -1;
  for (int i = 0; i < kTries; ++i) {
    temporary = i == 0 ? target + ".tmp" : fmt::format("{}.{}.tmp", target, i);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor >= 0) Remember(temporary);
  return descriptor;
}

void ForgetTemporary(const std::string& temporary) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slot_used[i] && temporary == slot_paths[i]) slot_used[i] = false;
  }
}

void RemoveTemporaries() {
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slot_used[i]) ::unlink(slot_paths[i]);
  }
}

// A write may take a part of the bytes, as on pipes; an interrupted one is repeated.
bool WriteWhole(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status ReplaceFile(const std::string& target, std::string_view bytes) {
  std::string temporary;
  const int descriptor = OpenTemporary(target, temporary);
  bool is_done = descriptor >= 0;
  if (is_done) {
    struct stat replaced {};  // Who may read it stays.
    if (::stat(target.c_str(), &replaced) == 0)
      (void)::fchmod(descriptor, replaced.st_mode & 07777);
    is_done = WriteWhole(descriptor, bytes) && ::fsync(descriptor) == 0;
    const int number = errno;
    const bool is_closed = ::close(descriptor) == 0;
    if (!is_done) errno = number;
    is_done = is_done && is_closed && std::rename(temporary.c_str(), target.c_str()) == 0;
    const int why = errno;
    if (!is_done) ::unlink(temporary.c_str());
    ForgetTemporary(temporary);
    errno = why;
  }
  if (is_done && SyncFolder(target)) return {};
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = "output/cannot-write";
  error.message =
      fmt::format("cannot write `{}`: {}", target, std::generic_category().message(errno));
  return Fail(std::move(error));
}

}  // namespace profgauge
