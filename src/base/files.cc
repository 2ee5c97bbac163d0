#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace profgauge {
namespace {

using Why = NotOpened::Why;

tl::unexpected<NotOpened> Refused(Why why, int number = 0) {
  return tl::unexpected<NotOpened>({why, number});
}

// A pipe without a writer ends at once; one that has a writer says "not yet" or gives a byte.
bool HasWriter(int descriptor, std::string& first) {
  char byte = 0;
  const ssize_t count = ::read(descriptor, &byte, 1);
  if (count == 1) first.assign(1, byte);
  return count == 1 || (count < 0 && errno == EAGAIN);
}

EntryKind KindOfLink(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return EntryKind::kOther;
  if (S_ISDIR(info.st_mode)) return EntryKind::kLinkToFolder;
  return S_ISREG(info.st_mode) ? EntryKind::kLinkToFile : EntryKind::kOther;
}

// Some file systems leave the kind open: a link may lead anywhere, so a stat answers for both.
EntryKind KindOf(const std::filesystem::path& path, unsigned char type) {
  if (type == DT_REG) return EntryKind::kFile;
  if (type == DT_DIR) return EntryKind::kFolder;
  if (type == DT_LNK) return KindOfLink(path);
  struct stat info {};
  if (type != DT_UNKNOWN || ::lstat(path.c_str(), &info) != 0) return EntryKind::kOther;
  if (S_ISLNK(info.st_mode)) return KindOfLink(path);
  if (S_ISDIR(info.st_mode)) return EntryKind::kFolder;
  return S_ISREG(info.st_mode) ? EntryKind::kFile : EntryKind::kOther;
}

}  // namespace

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      first_(std::move(other.first_)),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<std::size_t> InputFile::Read(char* out, std::size_t most) {
  if (!first_.empty() && most > 0) {
    *out = first_.front();
    first_.clear();
    return 1;
  }
  for (;;) {
    const ssize_t count = ::read(descriptor_, out, most);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::nullopt;
  }
}

int InputFile::Release() { return std::exchange(descriptor_, -1); }

std::string NotOpened::Text() const {
  switch (why) {
    case Why::kMissing:
      return "there is no such file";
    case Why::kFolder:
      return "is a directory, expected a file";
    case Why::kPipe:
      return "is a pipe, and no program writes into it";
    case Why::kNoFile:
      return "is a device or a socket, expected a file";
    case Why::kSystem:
      break;
  }
  return std::string("cannot be opened: ") + std::strerror(number);
}

// Opened without waiting, looked at, and only then made to wait as usual.
tl::expected<InputFile, NotOpened> OpenInput(const std::filesystem::path& path, Named named) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    // A socket cannot be opened at all.
    return Refused(is_missing       ? Why::kMissing
                   : errno == ENXIO ? Why::kNoFile
                                    : Why::kSystem,
                   errno);
  }
  InputFile file(descriptor, {}, {});
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return Refused(Why::kSystem, errno);
  if (S_ISDIR(info.st_mode)) return Refused(Why::kFolder);
  const bool is_pipe = S_ISFIFO(info.st_mode);
  if (!S_ISREG(info.st_mode) && !is_pipe && named == Named::kFound) return Refused(Why::kNoFile);
  std::string first;
  if (is_pipe && named == Named::kFound && !HasWriter(descriptor, first))
    return Refused(Why::kPipe);
  // A pipe that was opened without waiting ends where its writer is late.
  if (is_pipe && named == Named::kByUser) {
    const int waiting = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (waiting < 0) return Refused(Why::kSystem, errno);
    return InputFile(waiting, {}, {});
  }
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0)
    return Refused(Why::kSystem, errno);
  std::optional<std::uint64_t> size;
  if (S_ISREG(info.st_mode)) size = static_cast<std::uint64_t>(info.st_size);
  return InputFile(file.Release(), std::move(first), size);
}

std::optional<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t most) {
  auto file = OpenInput(path, Named::kFound);
  if (!file) return std::nullopt;
  std::string bytes;
  std::size_t have = 0;
  for (;;) {
    constexpr std::size_t kFirst = 4096;
    bytes.resize(std::min(most + 1, std::max(kFirst, 2 * have)));
    if (have == bytes.size()) return std::nullopt;
    const auto count = file->Read(bytes.data() + have, bytes.size() - have);
    if (!count) return std::nullopt;
    if (*count == 0) break;
    have += *count;
  }
  if (have > most) return std::nullopt;
  bytes.resize(have);
  return bytes;
}

std::vector<FolderEntry> ListEntries(const std::filesystem::path& folder, std::error_code* error) {
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::vector<FolderEntry> entries;
  const std::unique_ptr<DIR, Close> directory(opendir(folder.c_str()));
  if (error != nullptr) error->assign(directory == nullptr ? errno : 0, std::generic_category());
  if (directory == nullptr) return entries;
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] == '.') continue;
    std::filesystem::path path = folder / entry->d_name;
    const EntryKind kind = KindOf(path, entry->d_type);
    entries.push_back({std::move(path), kind});
  }
  std::sort(entries.begin(), entries.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.path < b.path; });
  return entries;
}

std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error) {
  std::vector<std::filesystem::path> paths;
  for (FolderEntry& entry : ListEntries(folder, error)) paths.push_back(std::move(entry.path));
  return paths;
}

}  // namespace profgauge
