#include "base/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/archive_parts.h"
#include "base/errors.h"
#include "base/file_version.h"
#include "base/files.h"
#include "base/text.h"

namespace profgauge {
namespace archive {
namespace {

/// Bytes of a file from one place on.
class RangeSource final : public ByteSource {
 public:
  RangeSource(int descriptor, std::string name, std::uint64_t at, std::uint64_t size)
      : descriptor_(descriptor), name_(std::move(name)), at_(at), size_(size) {}
  RangeSource(const RangeSource&) = delete;
  RangeSource& operator=(const RangeSource&) = delete;
  ~RangeSource() override { ::close(descriptor_); }

  const std::string& name() const override { return name_; }
  bool compressed() const override { return false; }
  std::uint64_t stored_bytes() const override { return size_; }
  std::uint64_t stored_consumed() const override { return done_; }
  Result<std::size_t> Read(std::span<std::byte> out) override {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - done_));
    if (wanted == 0) return std::size_t{0};
    for (;;) {
      const ssize_t got = ::pread(descriptor_, out.data(), wanted, static_cast<off_t>(at_ + done_));
      if (got > 0) {
        done_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (got == 0) return Fail(Truncated(name_));
      if (errno == EINTR) continue;
      return Fail(
          InputError(name_, "input/read", std::string("cannot be read: ") + std::strerror(errno)));
    }
  }

 private:
  const int descriptor_;
  const std::string name_;
  const std::uint64_t at_, size_;
  std::uint64_t done_ = 0;
};

/// Files that systems add, and those that users hide.
/// macOS writes `._NAME` and `__MACOSX/` beside each file of a zip: those hold attributes, and
/// would be read as damaged profiles.
bool IsWanted(const ArchiveMember& member) {
  const std::string& name = member.name;
  const std::size_t slash = name.rfind('/');
  const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
  return base < name.size() && name[base] != '.' && !name.starts_with("__MACOSX/") &&
         name.find("/__MACOSX/") == std::string::npos;
}

}  // namespace

Error Truncated(const std::string& path) {
  return InputError(path, "archive/truncated", "the archive ends early",
                    "the file was cut off while it was written or copied; copy it again");
}
Error Damaged(const std::string& path, const std::string& what) {
  return InputError(path, "archive/damaged", "the archive is damaged: " + what,
                    "copy the file again");
}
Error TooLarge(const std::string& path) {
  return InputError(path, "archive/too-large", "the archive has more than 65 536 members",
                    "unpack it and pass the folder");
}

Result<std::unique_ptr<ByteSource>> OpenRange(const std::string& path, std::string name,
                                              std::uint64_t at, std::uint64_t size) {
  auto file = OpenInput(path, Named::kFound);
  if (!file)
    return Fail(InputError(path, "input/open", file.error().Text(), "check its permissions"));
  return std::make_unique<RangeSource>(file->Release(), std::move(name), at, size);
}

Result<std::string> ReadUpTo(ByteSource& source, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    PROFGAUGE_TRY(const std::size_t got,
                  source.Read(std::as_writable_bytes(std::span(bytes).subspan(have))));
    if (got == 0) break;
    have += got;
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace archive

// A zip inside of gzip is no archive here: its directory is at its end, which a stream reaches
// only after everything was unpacked.
std::optional<ArchiveKind> ArchiveKindOf(const std::string& path) {
  constexpr std::size_t kHead = 512;
  std::error_code code;
  if (path == "-" || !std::filesystem::is_regular_file(path, code)) return std::nullopt;
  const auto source = OpenByteSource(path);
  if (!source) return std::nullopt;
  const auto head = archive::ReadUpTo(**source, kHead);
  if (!head) return std::nullopt;
  const bool is_zip = head->starts_with("PK\x03\x04") || head->starts_with("PK\x05\x06");
  if (is_zip && !(*source)->compressed()) return ArchiveKind::kZip;
  if (archive::IsTarHead(*head)) return ArchiveKind::kTar;
  return std::nullopt;
}

namespace {

Result<std::vector<ArchiveMember>> ListOf(const std::string& path, ArchiveKind kind) {
  PROFGAUGE_TRY(auto members,
                kind == ArchiveKind::kZip ? archive::ListZip(path) : archive::ListTar(path));
  std::erase_if(members, [](const ArchiveMember& member) { return !archive::IsWanted(member); });
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(members.begin(), members.end(),
                         [](const auto& a, const auto& b) { return a.name == b.name; });
  // No program writes such a zip on purpose, and one of the two would be read by nobody.
  if (kind == ArchiveKind::kZip && twice != members.end())
    return Fail(archive::Damaged(path, "two members are `" + Printable(twice->name) + "`"));
  // `tar -r` adds what has changed: the last member counts, like when it is unpacked.
  const auto last = std::unique(members.rbegin(), members.rend(),
                                [](const auto& a, const auto& b) { return a.name == b.name; });
  members.erase(members.begin(), last.base());
  return members;
}

using Members = std::shared_ptr<const std::vector<ArchiveMember>>;

/// The archive that was listed last, as it was then: all of its members may be opened in turn.
struct Listing {
  std::string path;
  std::optional<FileVersion> version;
  Members members;
};
std::mutex listing_mutex;
Listing listing;

Result<Members> Listed(const std::string& path, ArchiveKind kind) {
  const auto now = VersionOf(path);
  const std::scoped_lock lock(listing_mutex);
  if (now && listing.path == path && listing.version == now) return listing.members;
  PROFGAUGE_TRY(auto members, ListOf(path, kind));
  listing = {path, now, std::make_shared<const std::vector<ArchiveMember>>(std::move(members))};
  return listing.members;
}

}  // namespace

Result<std::vector<ArchiveMember>> MembersOf(const std::string& path, ArchiveKind kind) {
  PROFGAUGE_TRY(const Members members, Listed(path, kind));
  return *members;
}

// Members that the program cannot unpack are among them, with the reason: one that is missing and
// one that cannot be read are two errors.
Result<std::unique_ptr<ByteSource>> OpenMember(const std::string& path, ArchiveKind kind,
                                               const std::string& member) {
  const std::string name = path + "/" + member;
  PROFGAUGE_TRY(const Members members, Listed(path, kind));
  const auto found = std::lower_bound(
      members->begin(), members->end(), member,
      [](const ArchiveMember& each, const std::string& wanted) { return each.name < wanted; });
  if (found == members->end() || found->name != member) {
    return Fail(InputError(name, "input/missing", "no such file in the archive",
                           "check the path; an archive of profiles is taken too"));
  }
  if (!found->unreadable.empty()) {
    return Fail(InputError(name, "input/archive-member",
                           "the member of the archive is not read: " + found->unreadable,
                           "unpack the archive and pass the folder"));
  }
  return kind == ArchiveKind::kZip ? archive::OpenZipMember(path, name, *found)
                                   : archive::OpenTarMember(path, name, *found);
}

std::optional<std::size_t> EndOfArchive(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    struct stat info {};
    if (::stat(path.substr(0, slash).c_str(), &info) != 0) return std::nullopt;
    if (S_ISREG(info.st_mode)) return slash;
    if (!S_ISDIR(info.st_mode)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace profgauge
