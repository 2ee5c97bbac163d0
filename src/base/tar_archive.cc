// tar: 512-byte heads, each before its file. GNU's long names, and pax' `path` and `size`.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/archive_parts.h"
#include "base/errors.h"

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

/// A part of a compressed tar: everything before it is unpacked too.
class TarMember final : public ByteSource {
 public:
  TarMember(std::unique_ptr<ByteSource> source, std::string name, std::uint64_t size)
      : source_(std::move(source)), name_(std::move(name)), left_(size) {}
  const std::string& name() const override { return name_; }
  bool compressed() const override { return true; }
  std::uint64_t stored_bytes() const override { return source_->stored_bytes(); }
  std::uint64_t stored_consumed() const override { return source_->stored_consumed(); }
  Result<std::size_t> Read(std::span<std::byte> out) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
    if (wanted == 0) return std::size_t{0};
    PROFGAUGE_TRY(const std::size_t got, source_->Read(out.first(wanted)));
    if (got == 0) return Fail(Truncated(name_));
    left_ -= got;
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  const std::string name_;
  std::uint64_t left_;
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
  PROFGAUGE_TRY(auto source, OpenByteSource(path));
  if (!source->compressed()) return OpenRange(path, std::move(name), member.at, member.size);
  PROFGAUGE_CHECK(Skip(*source, member.at, path));
  return std::make_unique<TarMember>(std::move(source), std::move(name), member.size);
}

}  // namespace profgauge::archive
