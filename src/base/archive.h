// zip and tar archives as folders: members are opened like files, as PATH/MEMBER.
//
// Names of members are only shown and compared, never used as paths. Sizes and checksums are those
// of the decoded stream, not of the directory. Not supported: encrypted and split archives, methods
// except stored, deflate and zstd, and archives inside archives. Limits: .github/SECURITY.md.
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

/// Returns the kind of archive by the file's first bytes; a tar may be compressed. nullopt for
/// other and unreadable files, and for standard input.
std::optional<ArchiveKind> ArchiveKindOf(const std::string& path);

/// One file of an archive, as the directory describes it. `size` and `crc` are compared with the
/// decoded bytes only when the member has been read to its end.
struct ArchiveMember {
  std::string name;
  std::uint64_t at = 0;      ///< zip: offset of its local header. tar: of its decompressed bytes.
  std::uint64_t stored = 0;  ///< Bytes in the archive.
  std::uint64_t size = 0;    ///< As stated in the directory.
  std::uint32_t crc = 0;     ///< Only zip.
  std::uint16_t method = 0;  ///< Only zip.
  std::string unreadable;    ///< Why it cannot be read; empty if it can.
};

/// Lists the regular files of an archive by name, without hidden files and those of macOS. For a
/// zip, reads its end and its directory. A tar has no directory, so it is read (and decompressed)
/// completely. Errors: kInput "archive/truncated", "archive/damaged", "archive/too-large".
Result<std::vector<ArchiveMember>> MembersOf(const std::string& path, ArchiveKind kind);

/// Opens PATH/MEMBER. The archive that was listed last is listed again only if it was changed. A
/// member of a zip or a plain tar is read from its position. A member of a compressed tar is read
/// after everything before it, which is decompressed only once if members are read in order.
/// Errors: kInput "input/missing", and those of the archive and of the member.
Result<std::unique_ptr<ByteSource>> OpenMember(const std::string& path, ArchiveKind kind,
                                               const std::string& member);

/// If `path` is PATH/MEMBER and PATH is a regular file, returns the position of the `/` after PATH.
/// ArchiveKindOf() decides whether PATH is an archive.
std::optional<std::size_t> EndOfArchive(const std::string& path);

}  // namespace profgauge

namespace profgauge::archive {

// Parts that both kinds of archives share. Internal to archive.cc; tests read them.

/// A zip has at most 65 535 members unless it is a 64-bit zip.
inline constexpr std::size_t kMostMembers = 65'536;
/// In bytes; Linux's limit of a whole path. A longer name shows a damaged or hostile archive.
inline constexpr std::size_t kLongestName = 4096;

/// The errors of archives: "archive/truncated", "archive/damaged" and "archive/too-large". `path`
/// is the archive, or the archive and the member if only that is faulty.
Error Truncated(const std::string& path);
Error Damaged(const std::string& path, const std::string& what);
Error TooLarge(const std::string& path);

/// Opens a range of bytes of a file as a source, called `name` in messages. Each source has its own
/// descriptor and position, so several can be read concurrently. If the file ends inside the range,
/// the read that reaches the end returns "archive/truncated".
Result<std::unique_ptr<ByteSource>> OpenRange(const std::string& path, std::string name,
                                              std::uint64_t at, std::uint64_t size);
/// Reads until `count` bytes were read or the source ends. A shorter result is no error here: the
/// caller knows whether the end was allowed.
Result<std::string> ReadUpTo(ByteSource& source, std::size_t count);

/// All members as stored; MembersOf() removes hidden ones and repeated names.
Result<std::vector<ArchiveMember>> ListZip(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenZipMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

/// True for the first 512 bytes of a tar.
bool IsTarHead(std::string_view head);
Result<std::vector<ArchiveMember>> ListTar(const std::string& path);
Result<std::unique_ptr<ByteSource>> OpenTarMember(const std::string& path, std::string name,
                                                  const ArchiveMember& member);

}  // namespace profgauge::archive
