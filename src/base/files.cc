#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "base/replace_file.h"

namespace profgauge {
namespace {

using Why = NotOpened::Why;

tl::unexpected<NotOpened> Refused(Why why, int number = 0) {
  return tl::unexpected<NotOpened>({why, number});
}

bool IsPipe(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

// A read from a pipe without a writer ends immediately; with a writer it returns EAGAIN or a byte.
bool HasWriter(int descriptor, std::string& first) {
  char byte = 0;
  const ssize_t count = ::read(descriptor, &byte, 1);
  if (count == 1) first.assign(1, byte);
  return count == 1 || (count < 0 && errno == EAGAIN);
}

std::vector<std::filesystem::path> input_folders;  // Empty: no restriction.
std::mutex links_mutex;
std::set<std::string> links_left_out;

// Checks the path of the open file: the name might lead to another file by now.
bool IsOpenOutside(int descriptor) {
  if (input_folders.empty()) return false;
  std::error_code error;
  const auto path =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
  return error || std::ranges::none_of(input_folders, [&](const auto& folder) {
           return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
                  folder.end();
         });
}

EntryKind KindOfLink(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return EntryKind::kOther;
  const auto is_within = [&](const auto& folder) { return IsWithin(path, folder); };
  if (!input_folders.empty() && std::ranges::none_of(input_folders, is_within)) {
    const std::scoped_lock lock(links_mutex);
    links_left_out.insert(path.string());
    return EntryKind::kOther;
  }
  if (S_ISDIR(info.st_mode)) return EntryKind::kLinkToFolder;
  return S_ISREG(info.st_mode) ? EntryKind::kLinkToFile : EntryKind::kOther;
}

// Some file systems do not state the kind, and a link may lead anywhere: stat() answers both.
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

bool InputFile::Skip(std::uint64_t to) {
  return ::lseek(descriptor_, static_cast<off_t>(to), SEEK_SET) >= 0;
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
    case Why::kOutside:
      return "is outside of the folders that this server may read";
    case Why::kSystem:
      break;
  }
  return std::string("cannot be opened: ") + std::strerror(number);
}

bool IsWithin(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code error;
  // A link with a missing target leads to the place where a file would be created.
  const std::string target = TargetOfLinks(std::filesystem::absolute(path, error).string());
  const auto whole = std::filesystem::weakly_canonical(target, error);
  return !error && std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end()).first ==
                       folder.end();
}

std::filesystem::path RepositoryOf(const std::filesystem::path& path) {
  std::error_code error;
  auto own = std::filesystem::absolute(path, error).parent_path();
  own = std::filesystem::weakly_canonical(own, error);
  for (auto folder = own; !folder.empty(); folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / ".git", error)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return own;
}

void LimitInputs(std::vector<std::filesystem::path> folders) { input_folders = std::move(folders); }

std::size_t TakeLinksLeftOut() {
  const std::scoped_lock lock(links_mutex);
  return std::exchange(links_left_out, {}).size();
}

// Opens without waiting, checks the file, and then makes it blocking. A pipe that the user names is
// opened blocking: otherwise it would seem to end if its writer is late, and the writer might be
// gone before it is reopened.
tl::expected<InputFile, NotOpened> OpenInput(const std::filesystem::path& path, Named named) {
  if (!input_folders.empty()) named = Named::kFound;
  const bool waits = named == Named::kByUser && IsPipe(path);
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
  if (descriptor < 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    // A socket cannot be opened.
    return Refused(is_missing       ? Why::kMissing
                   : errno == ENXIO ? Why::kNoFile
                                    : Why::kSystem,
                   errno);
  }
  InputFile file(descriptor, {}, {});
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return Refused(Why::kSystem, errno);
  if (IsOpenOutside(descriptor)) return Refused(Why::kOutside);
  if (S_ISDIR(info.st_mode)) return Refused(Why::kFolder);
  const bool is_pipe = S_ISFIFO(info.st_mode);
  if (!S_ISREG(info.st_mode) && !is_pipe && named == Named::kFound) return Refused(Why::kNoFile);
  std::string first;
  if (is_pipe && named == Named::kFound && !HasWriter(descriptor, first))
    return Refused(Why::kPipe);
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0)
    return Refused(Why::kSystem, errno);
  std::optional<std::uint64_t> size;
  if (S_ISREG(info.st_mode)) size = static_cast<std::uint64_t>(info.st_size);
  return InputFile(file.Release(), std::move(first), size);
}

std::optional<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t most) {
  auto file = OpenInput(path, Named::kFound);
  if (!file || file->size().value_or(0) > most) return std::nullopt;
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

namespace {

std::optional<FileTail> ReadPart(const std::filesystem::path& path, std::size_t most,
                                 bool is_of_end) {
  auto file = OpenInput(path, Named::kFound);
  if (!file || !file->size()) return std::nullopt;
  FileTail part{{}, *file->size()};
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(most, part.size));
  if (is_of_end && !file->Skip(part.size - count)) return std::nullopt;
  part.bytes.resize(count);
  std::size_t have = 0;
  while (have < count) {
    const auto got = file->Read(part.bytes.data() + have, count - have);
    if (!got || *got == 0) break;
    have += *got;
  }
  part.bytes.resize(have);
  return part;
}

}  // namespace

std::string ReadHead(const std::filesystem::path& path, std::size_t most) {
  auto part = ReadPart(path, most, false);
  return part ? std::move(part->bytes) : std::string();
}

std::optional<FileTail> ReadTail(const std::filesystem::path& path, std::size_t most) {
  return ReadPart(path, most, true);
}

std::vector<FolderEntry> ListEntries(const std::filesystem::path& folder, std::error_code* error) {
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::vector<FolderEntry> entries;
  const std::unique_ptr<DIR, Close> directory(opendir(folder.c_str()));
  if (error != nullptr) error->assign(directory == nullptr ? errno : 0, std::generic_category());
  if (directory == nullptr || IsOpenOutside(dirfd(directory.get()))) return entries;
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
