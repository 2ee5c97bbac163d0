// Parts that both kinds of archives share. For archive.cc, zip_archive.cc and tar_archive.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge::archive {

/// A zip has 65 535 members unless it is of the 64-bit kind.
inline constexpr std::size_t kMostMembers = 65'536;
inline constexpr std::size_t kLongestName = 4096;

Error Truncated(const std::string& path);
Error Damaged(const std::string& path, const std::string& what);
Error TooLarge(const std::string& path);

/// A range of bytes of a file as a source: messages call it `name`.
Result<std::unique_ptr<ByteSource>> OpenRange(const std::string& path, std::string name,
                                              std::uint64_t at, std::uint64_t size);
/// Reads until `count` bytes are there or the source ends.
Result<std::string> ReadUpTo(ByteSource& source, std::size_t count);

Result<std::vector<ArchiveMember>> ListZip(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenZipMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

/// Whether these are the first 512 bytes of a tar.
bool IsTarHead(std::string_view head);
Result<std::vector<ArchiveMember>> ListTar(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenTarMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

}  // namespace profgauge::archive
