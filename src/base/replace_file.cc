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

#include "base/files.h"

namespace profgauge {
namespace {

// Data for a signal handler: fixed slots, set and cleared by plain stores, since locks and memory
// allocation are not allowed there.
constexpr std::size_t kSlots = 64;
constexpr std::size_t kSlotBytes = 4096;
char slot_paths[kSlots][kSlotBytes];
std::atomic<bool> slot_used[kSlots];

// Syncs the folder, since a file's name is on disk only after that.
bool SyncFolder(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  // Some file systems do not support that for folders.
  const bool is_done = ::fsync(descriptor) == 0 || errno == EINVAL;
  ::close(descriptor);
  return is_done;
}

// Removes a killed writer's file; there is only one writer at a time.
void RemoveLeftOver(const std::string& target, std::string_view bytes) {
  const std::string path = target + ".tmp";
  struct stat info {};
  constexpr std::size_t kHead = 16;
  const bool is_file = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_file && bytes.starts_with(ReadHead(path, kHead))) ::unlink(path.c_str());
}

// Keeps the owner, which only root can set; else the group, which its members can set.
void KeepOwner(int descriptor, const std::string& target) {
  struct stat replaced {};
  if (::stat(target.c_str(), &replaced) != 0) return;
  if (::fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0)
    (void)!::fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid);
  (void)::fchmod(descriptor, replaced.st_mode & 07777);
}

}  // namespace

std::string TargetOfLinks(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  // weakly_canonical() does not follow a link whose target is missing.
  constexpr int kMostLinks = 40;
  fs::path behind = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(behind, error); ++i) {
    const fs::path link = fs::read_symlink(behind, error);
    if (error) return path;
    behind = link.is_absolute() ? link : behind.parent_path() / link;
  }
  const fs::path target = fs::weakly_canonical(behind, error);
  return error ? path : target.string();
}

int OpenTemporary(const std::string& target, std::string& temporary) {
  constexpr int kTries = 100;
  int descriptor = -1;
  for (int i = 0; i < kTries; ++i) {
    temporary = i == 0 ? target + ".tmp" : fmt::format("{}.{}.tmp", target, i);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor >= 0) RememberTemporary(temporary);
  return descriptor;
}

// Ignores a path that is longer than a slot, or that exceeds kSlots open outputs: a signal then
// does not remove that temporary file.
void RememberTemporary(const std::string& path) {
  if (path.size() >= kSlotBytes) return;
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slot_used[i]) continue;
    std::memcpy(slot_paths[i], path.c_str(), path.size() + 1);
    slot_used[i] = true;
    return;
  }
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
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slot_used[i]) ::rmdir(slot_paths[i]);
  }
}

// write() may write only a part, e.g. on pipes; interrupted calls are repeated.
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
  RemoveLeftOver(target, bytes);
  std::string temporary;
  const int descriptor = OpenTemporary(target, temporary);
  bool is_done = descriptor >= 0;
  if (is_done) {
    KeepOwner(descriptor, target);
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
  error.notes = {fmt::format("help: make room, or make its folder writable{}",
                             is_done ? "" : "; the file is as it was")};
  return Fail(std::move(error));
}

}  // namespace profgauge
