// zip and tar archives as folders: their members are opened as files are, by PATH/MEMBER.
//
// Names of members are only shown and compared, never used as paths. Sizes and checksums are those
// of the stream, not those of a directory. Not read: encrypted and split archives, methods except
// stored, deflate and zstd, and archives inside of archives. Bounds: .github/SECURITY.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "profgauge/error.h"

namespace profgauge {

enum class ArchiveKind : std::uint8_t { kZip, kTar };

/// Whether the file is an archive, by its first bytes; a tar may be compressed. Nothing for files
/// that cannot be read, and for standard input.
std::optional<ArchiveKind> ArchiveKindOf(const std::string& path);

/// One file of an archive.
/// A view of the directory, not of the bytes: `size` and `crc` are compared with the decoded bytes
/// only when the member is read to its end.
struct ArchiveMember {
  std::string name;
  std::uint64_t at = 0;      ///< zip: of its local header. tar: of its bytes, unpacked.
  std::uint64_t stored = 0;  ///< Bytes in the archive.
  std::uint64_t size = 0;    ///< As the directory says.
  std::uint32_t crc = 0;     ///< zip.
  std::uint16_t method = 0;  ///< zip.
  std::string unreadable;    ///< Why it is not read; empty where it is.
};

/// The regular files of an archive by name, without hidden ones and those of macOS. Errors: kInput
/// "archive/truncated", "archive/damaged", "archive/too-large".
/// A zip costs the reading of its end and of its directory. A tar has no directory: it is read, and
/// unpacked where it is compressed, from its start to its end.
Result<std::vector<ArchiveMember>> MembersOf(const std::string& path, ArchiveKind kind);

/// Opens PATH/MEMBER. Errors: kInput "input/missing", and those of the archive and of the member.
/// The archive that was listed last is listed again only if it was changed. A member of a zip or of
/// a plain tar is read from its position; one of a compressed tar after all that is before it,
/// which is unpacked once for members that are read in their order.
Result<std::unique_ptr<ByteSource>> OpenMember(const std::string& path, ArchiveKind kind,
                                               const std::string& member);

/// Where the file ends and the member begins, if `path` is PATH/MEMBER of a file that exists.
/// The result is the position of the `/` after PATH. PATH is a regular file; ArchiveKindOf() finds
/// out whether it is an archive.
std::optional<std::size_t> EndOfArchive(const std::string& path);

}  // namespace profgauge

namespace profgauge::archive {

// Parts that both kinds of archives share. Internal to archive.cc; tests read them.

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
