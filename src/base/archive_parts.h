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
/// In bytes, as Linux bounds a whole path. A longer name marks a damaged or hostile archive.
inline constexpr std::size_t kLongestName = 4096;

/// The errors of archives: "archive/truncated", "archive/damaged" and "archive/too-large". `path`
/// is the archive, or the archive and the member where only that is at fault.
Error Truncated(const std::string& path);
Error Damaged(const std::string& path, const std::string& what);
Error TooLarge(const std::string& path);

/// A range of bytes of a file as a source: messages call it `name`.
/// The source has its own descriptor and position, so that several can be read side by side. A
/// file that ends within the range gives "archive/truncated" at the read that meets the end.
Result<std::unique_ptr<ByteSource>> OpenRange(const std::string& path, std::string name,
                                              std::uint64_t at, std::uint64_t size);
/// Reads until `count` bytes are there or the source ends.
/// A shorter result is no error here: the caller knows whether the end was allowed.
Result<std::string> ReadUpTo(ByteSource& source, std::size_t count);

/// All members as written: hidden ones and repeated names are taken out by MembersOf().
Result<std::vector<ArchiveMember>> ListZip(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenZipMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

/// Whether these are the first 512 bytes of a tar.
bool IsTarHead(std::string_view head);
Result<std::vector<ArchiveMember>> ListTar(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenTarMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

}  // namespace profgauge::archive
