// zip: a directory at the end of the file, members anywhere before it.
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <new>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/archive_parts.h"
#include "base/errors.h"
#include "base/gzip.h"

namespace profgauge::archive {
namespace {

// A zip is read from its end. Numbers are little-endian; the digits are bytes.
//
//   | head 30 + name + extra | bytes of a | ... | directory | 64-bit end 56, locator 20 | end 22 |
//   ^ at: of member a                             46 + ..     only where one is needed
//
//   end        4 part, 10 members, 12 size and 16 place of the directory
//   64-bit end 32 members, 40 size, 48 place; used where the end has all ones
//   directory  8 flags, 10 method, 16 crc, 20 stored, 24 size, 28 name, 30 extra, 32 comment, 42 at
//   head       26 name, 28 extra: these may differ from the directory's, so both heads are read
//
// Sizes come from the directory: a writer that streams leaves them 0 in the head of the member.
constexpr std::uint16_t kStored = 0, kDeflated = 8, kZstd = 93;
constexpr std::uint16_t kEncrypted = 1;  // A flag.
constexpr std::uint64_t kLargestDirectory = std::uint64_t{64} << 20;

/// A little-endian number of a record; 0 where that is too short.
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

/// Where the directory is, and how many members it names.
struct Directory {
  std::uint64_t at = 0, size = 0, members = 0;
};

/// The end may be followed by a comment of up to 65 535 bytes: the last mark in the tail counts.
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

/// Lengths beyond 32 bits are in a separate field.
/// Only numbers that are all ones in the directory are in the field, in this order.
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

/// Decodes a member's bytes, and checks the result.
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
  // `at_end_` and empty `left_` together mean that no stored bytes will come.
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
