#include "base/archive.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/file_version.h"
#include "base/files.h"
#include "base/gzip.h"
#include "base/text.h"

namespace profgauge {

namespace archive {
namespace {

/// Bytes of a file from an offset on.
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

/// False for files that systems add, and hidden ones. macOS writes `._NAME` and `__MACOSX/` beside
/// each file of a zip; these hold attributes and would be read as damaged profiles.
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

// Does not accept a zip inside gzip: the directory of a zip is at its end, which a stream reaches
// only after decompressing everything.
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
  // No program repeats a name in a zip on purpose, and one of both members would stay unread.
  if (kind == ArchiveKind::kZip && twice != members.end())
    return Fail(archive::Damaged(path, "two members are `" + Printable(twice->name) + "`"));
  // `tar -r` appends changed files: the last member counts, as when unpacking.
  const auto last = std::unique(members.rbegin(), members.rend(),
                                [](const auto& a, const auto& b) { return a.name == b.name; });
  members.erase(members.begin(), last.base());
  return members;
}

using Members = std::shared_ptr<const std::vector<ArchiveMember>>;

/// The archive that was listed last, with its listing: its members are often opened one by one.
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

// Also finds members that cannot be unpacked, with the reason: a missing member and an unreadable
// one are different errors.
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

namespace profgauge::archive {

// tar: 512-byte heads, each before its file. Long names: GNU's, and `path` and `size` of pax.

namespace {

// A head, with byte offsets. Numbers are octal digits, or binary if the first bit is set.
//
//   0        100    108    116    124     136     148    156    157     257     263  345    500
//   | name   | mode | uid  | gid  | size  | mtime | sum  | type | link  | magic | .. | prefix |
//
// An archive of two files, one with a name of more than 100 bytes; each box is a multiple of 512:
//
//   | head a | bytes of a, padded | head 'L' | the long name, padded | head b | bytes of b | 0 0 |
//
// Types: '0', NUL and '7' are files; 'L' is GNU's long name and 'x' are pax records, both for the
// next head; folders, links and devices are skipped.
constexpr std::size_t kBlock = 512;
// The longest record with a long name, in bytes.
constexpr std::uint64_t kLongestExtra = std::uint64_t{1} << 20;

std::string_view FieldOf(std::string_view head, std::size_t at, std::size_t size) {
  const std::string_view field = head.substr(at, size);
  return field.substr(0, field.find('\0'));
}

/// Parses octal digits, or GNU's binary form for large files.
std::optional<std::uint64_t> NumberOf(std::string_view field) {
  if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    std::uint64_t number = static_cast<unsigned char>(field[0]) & 0x3F;
    for (const char byte : field.substr(1)) {
      if (number >> 55 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
  }
  const std::size_t first = std::min(field.find_first_not_of(' '), field.size());
  std::uint64_t number = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data() + first, end, number, 8);
  if (error != std::errc{} || number >> 60 != 0) return std::nullopt;
  return stop == end || *stop == ' ' || *stop == '\0' ? std::optional(number) : std::nullopt;
}

/// Whether the checksum is right: the sum of all bytes, with the sum field as blanks. If it is
/// wrong, the head is at another position, or the file is damaged.
bool SumFits(std::string_view head) {
  constexpr std::size_t kSum = 148, kSumSize = 8;
  const auto stated = NumberOf(head.substr(kSum, kSumSize));
  std::uint64_t sum = kSumSize * ' ';
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i < kSum || i >= kSum + kSumSize) sum += static_cast<unsigned char>(head[i]);
  }
  return stated == sum;
}

/// The value of a record such as "27 path=run/rank0.json\n" in a pax head.
std::optional<std::string_view> PaxValue(std::string_view records, std::string_view key) {
  std::optional<std::string_view> value;
  while (!records.empty()) {
    std::size_t size = 0;
    const char* const end = records.data() + records.size();
    const auto [stop, error] = std::from_chars(records.data(), end, size);
    const auto digits = static_cast<std::size_t>(stop - records.data());
    if (error != std::errc{} || size <= digits + 1 || size > records.size()) return value;
    const std::string_view record = records.substr(digits + 1, size - digits - 2);
    records.remove_prefix(size);
    const std::size_t equals = record.find('=');
    if (equals != record.npos && record.substr(0, equals) == key) value = record.substr(equals + 1);
  }
  return value;
}

std::string NameIn(std::string_view head) {
  const std::string name(FieldOf(head, 0, 100));
  // GNU's format has times at the place of the name's prefix.
  const bool has_prefix = head.substr(257, 6) == std::string_view("ustar\0", 6);
  const std::string_view prefix = has_prefix ? FieldOf(head, 345, 155) : std::string_view();
  return prefix.empty() ? name : std::string(prefix) + "/" + name;
}

Status Skip(ByteSource& source, std::uint64_t count, const std::string& path) {
  std::string room(std::size_t{64} << 10, '\0');
  while (count > 0) {
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, room.size()));
    PROFGAUGE_TRY(const std::size_t got,
                  source.Read(std::as_writable_bytes(std::span(room).first(now))));
    if (got == 0) return Fail(Truncated(path));
    count -= got;
  }
  return {};
}

std::uint64_t Padded(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

/// Properties of the next file, from extra heads before it.
struct Ahead {
  std::string name;
  std::optional<std::uint64_t> size;
};

/// Passes over the decompressed archive once. `at_` is the position after the last head or file, in
/// decompressed bytes.
class Lister {
 public:
  Lister(ByteSource& source, const std::string& path) : source_(source), path_(path) {}

  Result<std::vector<ArchiveMember>> All() {
    while (true) {
      PROFGAUGE_TRY(const std::string head, ReadUpTo(source_, kBlock));
      if (head.empty()) return std::move(members_);  // Some writers omit the end blocks.
      if (head.size() < kBlock) return Fail(Truncated(path_));
      at_ += kBlock;
      if (head.find_first_not_of('\0') == std::string::npos) return std::move(members_);
      if (!SumFits(head)) return Fail(Damaged(path_, "a head does not fit its checksum"));
      PROFGAUGE_CHECK(Take(head));
    }
  }

 private:
  Status Take(std::string_view head) {
    const auto stated = NumberOf(head.substr(124, 12));
    if (!stated) return Fail(Damaged(path_, "a file without a length"));
    const char type = head[156];
    if (type == 'L' || type == 'x') return TakeAhead(type, *stated);
    const std::uint64_t size = ahead_.size.value_or(*stated);
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (is_file) {
      if (members_.size() == kMostMembers) return Fail(TooLarge(path_));
      ArchiveMember member;
      member.name = ahead_.name.empty() ? NameIn(head) : ahead_.name;
      if (member.name.starts_with("./")) member.name.erase(0, 2);
      member.at = at_;
      member.stored = member.size = size;
      members_.push_back(std::move(member));
    }
    ahead_ = {};
    at_ += Padded(size);
    return Skip(source_, Padded(size), path_);
  }

  // Keeps the data of an extra head. If a file has both forms, the later one counts.
  Status TakeAhead(char type, std::uint64_t size) {
    if (size > kLongestExtra) return Fail(Damaged(path_, "a name is too long"));
    PROFGAUGE_TRY(const std::string text,
                  ReadUpTo(source_, static_cast<std::size_t>(Padded(size))));
    if (text.size() < Padded(size)) return Fail(Truncated(path_));
    at_ += text.size();
    const std::string_view record =
        std::string_view(text).substr(0, static_cast<std::size_t>(size));
    if (type == 'L') {
      ahead_.name = record.substr(0, record.find('\0'));
    } else {
      if (const auto name = PaxValue(record, "path")) ahead_.name = *name;
      if (const auto length = PaxValue(record, "size")) {
        std::uint64_t number = 0;
        std::from_chars(length->data(), length->data() + length->size(), number);
        ahead_.size = number;
      }
    }
    if (ahead_.name.size() > kLongestName) return Fail(Damaged(path_, "a name is too long"));
    return {};
  }

  ByteSource& source_;
  const std::string& path_;
  std::vector<ArchiveMember> members_;
  std::uint64_t at_ = 0;
  Ahead ahead_;
};

/// A compressed tar that is decompressed up to a position.
struct Unpacked {
  std::string path;
  std::optional<FileVersion> version;
  std::unique_ptr<ByteSource> source;
  std::uint64_t at = 0;  ///< Number of bytes read from `source`.
  /// The bytes just before `at`, because a file is opened twice: to examine and to read it.
  std::string last;

  std::uint64_t from() const { return at - last.size(); }
};
/// Maximum size of `last`: as much as is examined.
constexpr std::size_t kMostOfLast = std::size_t{1} << 20;

/// Compressed archives that no member is reading. Because they keep their position, reading members
/// in order needs one pass over the archive per thread, not one per file.
class Waiting {
 public:
  /// Adds an archive and drops the one that has waited longest.
  void Put(Unpacked unpacked) noexcept {
    const std::scoped_lock lock(mutex_);
    std::rotate(waiting_.begin(), waiting_.begin() + 1, waiting_.end());
    waiting_.back() = std::move(unpacked);
  }
  /// Takes the one that is closest to `wanted` but not beyond it.
  std::optional<Unpacked> Take(const std::string& path, const FileVersion& now,
                               std::uint64_t wanted) {
    const std::scoped_lock lock(mutex_);
    std::optional<Unpacked>* best = nullptr;
    for (std::optional<Unpacked>& each : waiting_) {
      const bool fits =
          each && each->path == path && each->version == now && each->from() <= wanted;
      if (fits && (best == nullptr || (*best)->at < each->at)) best = &each;
    }
    return best == nullptr ? std::nullopt : std::exchange(*best, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::array<std::optional<Unpacked>, 4> waiting_;  // Mostly as many as threads.
};
Waiting waiting;

/// A member of a compressed tar. The destructor returns its archive to the waiting ones.
class TarMember final : public ByteSource {
 public:
  /// REQUIRES: `unpacked.from() <= begin <= unpacked.at`.
  TarMember(Unpacked unpacked, std::string name, std::uint64_t begin, std::uint64_t size)
      : unpacked_(std::move(unpacked)), name_(std::move(name)), begin_(begin), left_(size) {}
  TarMember(const TarMember&) = delete;
  TarMember& operator=(const TarMember&) = delete;
  ~TarMember() override {
    if (is_whole_) waiting.Put(std::move(unpacked_));
  }
  const std::string& name() const override { return name_; }
  bool compressed() const override { return true; }
  std::uint64_t stored_bytes() const override { return unpacked_.source->stored_bytes(); }
  std::uint64_t stored_consumed() const override { return unpacked_.source->stored_consumed(); }
  Result<std::size_t> Read(std::span<std::byte> out) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
    if (wanted == 0) return std::size_t{0};
    PROFGAUGE_TRY(const std::size_t got, Next(out.first(wanted)));
    position_ += got;
    left_ -= got;
    return got;
  }

 private:
  Result<std::size_t> Next(std::span<std::byte> out) {
    std::string& last = unpacked_.last;
    if (position_ < unpacked_.at) {
      return last.copy(reinterpret_cast<char*>(out.data()), out.size(),
                       position_ - unpacked_.from());
    }
    is_whole_ = false;
    PROFGAUGE_TRY(const std::size_t got, unpacked_.source->Read(out));
    if (got == 0) return Fail(Truncated(name_));
    if (position_ + got - begin_ <= kMostOfLast) {
      last.append(reinterpret_cast<const char*>(out.data()), got);
    } else {
      last = {};
    }
    unpacked_.at += got;
    is_whole_ = true;
    return got;
  }

  Unpacked unpacked_;
  const std::string name_;
  const std::uint64_t begin_;
  std::uint64_t position_ = begin_, left_;
  bool is_whole_ = true;  // No read has failed.
};

}  // namespace

bool IsTarHead(std::string_view head) {
  return head.size() >= kBlock && head.substr(257, 5) == "ustar" && SumFits(head);
}

Result<std::vector<ArchiveMember>> ListTar(const std::string& path) {
  PROFGAUGE_TRY(const auto source, OpenByteSource(path));
  return Lister(*source, path).All();
}

Result<std::unique_ptr<ByteSource>> OpenTarMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member) {
  const auto now = VersionOf(path);
  std::optional<Unpacked> unpacked;
  if (now) unpacked = waiting.Take(path, *now, member.at);
  if (!unpacked) {
    PROFGAUGE_TRY(auto source, OpenByteSource(path));
    if (!source->compressed()) return OpenRange(path, std::move(name), member.at, member.size);
    unpacked = Unpacked{path, now, std::move(source), 0, {}};
  }
  if (unpacked->at < member.at) {
    PROFGAUGE_CHECK(Skip(*unpacked->source, member.at - unpacked->at, path));
    unpacked->at = member.at;
    unpacked->last = {};
  }
  return std::make_unique<TarMember>(std::move(*unpacked), std::move(name), member.at, member.size);
}

// zip: a directory at the end of the file, members anywhere before it.

namespace {

// A zip is read from its end. Numbers are little-endian; digits below are byte offsets.
//
//   | head 30 + name + extra | bytes of a | ... | directory | 64-bit end 56, locator 20 | end 22 |
//   ^ at: of member a                             46 + ..     only where one is needed
//
//   end        4 disk, 10 members, 12 size and 16 offset of the directory
//   64-bit end 32 members, 40 size, 48 offset; used if the values in the end are all ones
//   directory  8 flags, 10 method, 16 crc, 20 stored, 24 size, 28 name, 30 extra, 32 comment, 42 at
//   head       26 name, 28 extra: lengths may differ from the directory's, so both are read
//
// Sizes come from the directory, because a streaming writer leaves them 0 in the member's head.
constexpr std::uint16_t kStored = 0, kDeflated = 8, kZstd = 93;
constexpr std::uint16_t kEncrypted = 1;  // A flag bit.
constexpr std::uint64_t kLargestDirectory = std::uint64_t{64} << 20;

/// A little-endian number in a record; 0 if the record is too short.
template <class Number>
Number At(std::string_view record, std::size_t at) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof(Number) && at + i < record.size(); ++i) {
    number |= static_cast<Number>(static_cast<Number>(static_cast<unsigned char>(record[at + i]))
                                  << 8 * i);
  }
  return number;
}

Result<std::string> BytesAt(const std::string& path, std::uint64_t at, std::uint64_t size) {
  PROFGAUGE_TRY(const auto source, OpenRange(path, path, at, size));
  PROFGAUGE_TRY(std::string bytes, ReadUpTo(*source, static_cast<std::size_t>(size)));
  return bytes;
}

/// Place of the directory, and its number of members.
struct Directory {
  std::uint64_t at = 0, size = 0, members = 0;
};

/// A comment of up to 65 535 bytes may follow the end record: the last signature counts.
Result<Directory> FindDirectory(const std::string& path, std::uint64_t file) {
  constexpr std::uint64_t kEnd = 22, kLongestComment = 65'535, kLocator = 20;
  const std::uint64_t tail = std::min(file, kEnd + kLongestComment + kLocator);
  PROFGAUGE_TRY(const std::string bytes, BytesAt(path, file - tail, tail));
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string::npos || bytes.size() - end < kEnd) return Fail(Truncated(path));
  const std::string_view record = std::string_view(bytes).substr(end);
  if (At<std::uint16_t>(record, 4) != 0 && At<std::uint16_t>(record, 4) != 0xFFFF) {
    return Fail(Damaged(path, "it is one part of several"));
  }
  Directory directory{At<std::uint32_t>(record, 16), At<std::uint32_t>(record, 12),
                      At<std::uint16_t>(record, 10)};
  const bool is_long =
      directory.at == 0xFFFF'FFFF || directory.size == 0xFFFF'FFFF || directory.members == 0xFFFF;
  if (is_long && end >= kLocator &&
      std::string_view(bytes).substr(end - kLocator, 4) == "PK\x06\x07") {
    constexpr std::uint64_t kLongEnd = 56;
    const auto at = At<std::uint64_t>(bytes, end - kLocator + 8);
    if (at > file || file - at < kLongEnd) return Fail(Damaged(path, "its end is not there"));
    PROFGAUGE_TRY(const std::string longer, BytesAt(path, at, kLongEnd));
    if (!longer.starts_with("PK\x06\x06")) return Fail(Damaged(path, "its end is not there"));
    directory = {At<std::uint64_t>(longer, 48), At<std::uint64_t>(longer, 40),
                 At<std::uint64_t>(longer, 32)};
  }
  if (directory.at > file || directory.size > file - directory.at) {
    return Fail(Damaged(path, "its directory is beyond the file"));
  }
  if (directory.members > kMostMembers || directory.size > kLargestDirectory) {
    return Fail(TooLarge(path));
  }
  return directory;
}

/// Reads sizes beyond 32 bits from a separate field, which has only those numbers that are all ones
/// in the directory, in this order.
void TakeLongSizes(std::string_view extra, ArchiveMember& member) {
  while (extra.size() >= 4) {
    const auto id = At<std::uint16_t>(extra, 0);
    const std::size_t size = At<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) return;
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* number : {&member.size, &member.stored, &member.at}) {
      if (*number != 0xFFFF'FFFF || field.size() < 8) continue;
      *number = At<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
}

/// Decompresses a member's bytes and checks the result.
class ZipMember final : public ByteSource {
 public:
  ZipMember(std::unique_ptr<ByteSource> stored, const ArchiveMember& member)
      : stored_(std::move(stored)), member_(member) {
    if (member_.method == kDeflated && inflateInit2(&inflate_, -MAX_WBITS) != Z_OK) {
      throw std::bad_alloc();
    }
    if (member_.method == kZstd) zstd_ = MakeZstdDecoder();
    block_.resize(std::size_t{256} << 10);
  }
  ZipMember(const ZipMember&) = delete;
  ZipMember& operator=(const ZipMember&) = delete;
  ~ZipMember() override {
    if (member_.method == kDeflated) inflateEnd(&inflate_);
  }

  const std::string& name() const override { return stored_->name(); }
  bool compressed() const override { return true; }
  std::uint64_t stored_bytes() const override { return stored_->stored_bytes(); }
  std::uint64_t stored_consumed() const override { return stored_->stored_consumed(); }

  Result<std::size_t> Read(std::span<std::byte> out) override {
    std::size_t written = 0;
    while (written < out.size() && !ended_) {
      PROFGAUGE_CHECK(Fill());
      PROFGAUGE_TRY(const std::size_t step, Decode(out.subspan(written)));
      crc_ = libdeflate_crc32(crc_, out.data() + written, step);
      written += step;
      unpacked_ += step;
    }
    if (ended_ && !checked_) {
      checked_ = true;
      if (crc_ != member_.crc || unpacked_ != member_.size) {
        return Fail(Damaged(name(), "the member does not fit its checksum"));
      }
    }
    return written;
  }

 private:
  // `at_end_` with an empty `left_` means that no more stored bytes follow.
  Status Fill() {
    if (!left_.empty() || at_end_) return {};
    PROFGAUGE_TRY(const std::size_t got, stored_->Read(block_));
    left_ = std::span(block_).first(got);
    at_end_ = got == 0;
    return {};
  }
  Result<std::size_t> Decode(std::span<std::byte> out) {
    if (member_.method == kStored) {
      const std::size_t now = std::min(out.size(), left_.size());
      if (now > 0) std::memcpy(out.data(), left_.data(), now);
      left_ = left_.subspan(now);
      ended_ = at_end_;
      return now;
    }
    return member_.method == kZstd ? DecodeZstd(out) : Inflate(out);
  }
  Result<std::size_t> Inflate(std::span<std::byte> out) {
    inflate_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
    inflate_.avail_in = static_cast<uInt>(left_.size());
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits.
    const std::size_t room = std::min(out.size(), kMostAtOnce);
    inflate_.next_out = reinterpret_cast<Bytef*>(out.data());
    inflate_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&inflate_, Z_NO_FLUSH);
    left_ = left_.last(inflate_.avail_in);
    const std::size_t written = room - inflate_.avail_out;
    ended_ = code == Z_STREAM_END;
    if (ended_ || code == Z_OK) return written;
    if (code == Z_BUF_ERROR && !at_end_) return written;
    return Fail(code == Z_BUF_ERROR ? Truncated(name()) : Damaged(name(), "the member"));
  }
  Result<std::size_t> DecodeZstd(std::span<std::byte> out) {
    const auto step = zstd_->Decode(left_, out);
    left_ = left_.subspan(step.consumed);
    ended_ = step.state == Inflater::State::kMemberEnd;
    if (ended_ || step.consumed > 0 || step.written > 0) return step.written;
    if (step.state == Inflater::State::kMore && !at_end_) return step.written;
    return Fail(step.state == Inflater::State::kMore ? Truncated(name())
                                                     : Damaged(name(), "the member"));
  }

  std::unique_ptr<ByteSource> stored_;
  const ArchiveMember member_;
  z_stream inflate_{};
  std::unique_ptr<Inflater> zstd_;
  std::vector<std::byte> block_;
  std::span<std::byte> left_;
  std::uint32_t crc_ = 0;
  std::uint64_t unpacked_ = 0;
  bool at_end_ = false, ended_ = false, checked_ = false;
};

}  // namespace

Result<std::vector<ArchiveMember>> ListZip(const std::string& path) {
  std::error_code unknown;
  const std::uint64_t file = std::filesystem::file_size(path, unknown);
  if (unknown) return Fail(Truncated(path));
  PROFGAUGE_TRY(const Directory directory, FindDirectory(path, file));
  PROFGAUGE_TRY(const std::string bytes, BytesAt(path, directory.at, directory.size));
  std::vector<ArchiveMember> members;
  std::string_view rest = bytes;
  constexpr std::size_t kHead = 46;
  while (rest.size() >= kHead && rest.starts_with("PK\x01\x02")) {
    const std::size_t name = At<std::uint16_t>(rest, 28), extra = At<std::uint16_t>(rest, 30);
    const std::size_t size = kHead + name + extra + At<std::uint16_t>(rest, 32);
    if (size > rest.size() || name > kLongestName) return Fail(Damaged(path, "its directory"));
    if (members.size() == kMostMembers) return Fail(TooLarge(path));
    ArchiveMember member;
    member.name = rest.substr(kHead, name);
    member.method = At<std::uint16_t>(rest, 10);
    member.crc = At<std::uint32_t>(rest, 16);
    member.stored = At<std::uint32_t>(rest, 20);
    member.size = At<std::uint32_t>(rest, 24);
    member.at = At<std::uint32_t>(rest, 42);
    TakeLongSizes(rest.substr(kHead + name, extra), member);
    const bool is_known =
        member.method == kStored || member.method == kDeflated || member.method == kZstd;
    if ((At<std::uint16_t>(rest, 8) & kEncrypted) != 0) {
      member.unreadable = "it is encrypted";
    } else if (!is_known) {
      member.unreadable = "it is compressed by method " + std::to_string(member.method);
    }
    if (!member.name.ends_with('/')) members.push_back(std::move(member));
    rest.remove_prefix(size);
  }
  if (!rest.empty() && members.size() < directory.members) {
    return Fail(Damaged(path, "its directory"));
  }
  return members;
}

Result<std::unique_ptr<ByteSource>> OpenZipMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member) {
  constexpr std::uint64_t kHead = 30;
  PROFGAUGE_TRY(const std::string head, BytesAt(path, member.at, kHead));
  if (!head.starts_with("PK\x03\x04")) return Fail(Damaged(path, "a member is not there"));
  const std::uint64_t at =
      member.at + kHead + At<std::uint16_t>(head, 26) + At<std::uint16_t>(head, 28);
  PROFGAUGE_TRY(auto stored, OpenRange(path, std::move(name), at, member.stored));
  return std::make_unique<ZipMember>(std::move(stored), member);
}

}  // namespace profgauge::archive
