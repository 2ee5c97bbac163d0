// tar: 512-byte heads, each before its file. GNU's long names, and pax' `path` and `size`.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/archive_parts.h"
#include "base/errors.h"
#include "base/file_version.h"

namespace profgauge::archive {
namespace {

// A head, in bytes from its start. Numbers are octal digits, or binary where the first bit is set.
//
//   0        100    108    116    124     136     148    156    157     257     263  345    500
//   | name   | mode | uid  | gid  | size  | mtime | sum  | type | link  | magic | .. | prefix |
//
// An archive of two files, one with a name of more than 100 bytes; each box is a multiple of 512:
//
//   | head a | bytes of a, padded | head 'L' | the long name, padded | head b | bytes of b | 0 0 |
//
// Types: '0', NUL and '7' are files; 'L' is GNU's long name and 'x' are the records of pax, both
// for the next head; folders, links and devices are passed over.
constexpr std::size_t kBlock = 512;
// The longest record with a long name.
constexpr std::uint64_t kLongestExtra = std::uint64_t{1} << 20;

std::string_view FieldOf(std::string_view head, std::size_t at, std::size_t size) {
  const std::string_view field = head.substr(at, size);
  return field.substr(0, field.find('\0'));
}

/// Octal digits, or GNU's binary form of large files.
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

/// The sum of all bytes, its own field taken as blanks.
/// A head that does not fit means that the place of the next head was misread, or damage.
bool SumFits(std::string_view head) {
  constexpr std::size_t kSum = 148, kSumSize = 8;
  const auto stated = NumberOf(head.substr(kSum, kSumSize));
  std::uint64_t sum = kSumSize * ' ';
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i < kSum || i >= kSum + kSumSize) sum += static_cast<unsigned char>(head[i]);
  }
  return stated == sum;
}

/// A record "27 path=run/rank0.json\n" of a pax head.
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
  // GNU's own form has times where the others have the beginning of the name.
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

/// The properties of a file by the heads before it.
struct Ahead {
  std::string name;
  std::optional<std::uint64_t> size;
};

/// One pass over the unpacked archive. `at_` is the position after the last head or file, in
/// unpacked bytes: a file's position is taken from it.
class Lister {
 public:
  Lister(ByteSource& source, const std::string& path) : source_(source), path_(path) {}

  Result<std::vector<ArchiveMember>> All() {
    while (true) {
      PROFGAUGE_TRY(const std::string head, ReadUpTo(source_, kBlock));
      if (head.empty()) return std::move(members_);  // Some writers leave out the end.
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

  // Keeps the data of a head about the next one. The later one wins where a file has both forms.
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

/// A compressed tar, unpacked as far as somebody has read.
struct Unpacked {
  std::string path;
  std::optional<FileVersion> version;
  std::unique_ptr<ByteSource> source;
  std::uint64_t at = 0;  ///< Bytes that were taken from `source`.
  /// The bytes before `at`: a file is opened to see what it is, and again to read it.
  std::string last;

  std::uint64_t from() const { return at - last.size(); }
};
/// Of `last`: what is looked at to see what a file is.
constexpr std::size_t kMostOfLast = std::size_t{1} << 20;

/// Those that nobody reads now. Files that are read in their order need one pass over the archive
/// for each thread, and not one for each file.
class Waiting {
 public:
  /// Forgets the one that has waited longest.
  void Put(Unpacked unpacked) noexcept {
    const std::scoped_lock lock(mutex_);
    std::rotate(waiting_.begin(), waiting_.begin() + 1, waiting_.end());
    waiting_.back() = std::move(unpacked);
  }
  /// The one that has come furthest without having passed `wanted`.
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
  std::array<std::optional<Unpacked>, 4> waiting_;  // As many as threads, mostly.
};
Waiting waiting;

/// A part of a compressed tar. Its archive goes back to those that wait.
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

}  // namespace profgauge::archive
