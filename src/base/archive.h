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
