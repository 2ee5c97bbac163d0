// Opens all input files, reads small files as a whole, and lists folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace profgauge {

// Opening input files.

/// kByUser: an argument that names a profile; opening may wait for the writer of a pipe. kFound:
/// all other files, named in configuration or found by a search; opening never waits.
enum class Named : std::uint8_t { kByUser, kFound };

/// An open file for reading. Movable; the destructor closes it.
class InputFile {
 public:
  InputFile(int descriptor, std::string first, std::optional<std::uint64_t> size)
      : descriptor_(descriptor), first_(std::move(first)), size_(size) {}
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// Reads up to `most` bytes; 0 at the end, nullopt if the system reports an error (errno).
  std::optional<std::size_t> Read(char* out, std::size_t most);
  /// Moves to a byte of a regular file; false if the system reports an error.
  bool Skip(std::uint64_t to);
  /// The bytes that were read from a pipe to check whether it has a writer.
  std::string TakeFirst() { return std::exchange(first_, {}); }
  /// The descriptor, which the caller closes. REQUIRES: TakeFirst() was called.
  int Release();
  std::optional<std::uint64_t> size() const { return size_; }  ///< Only for a regular file.

 private:
  int descriptor_;
  std::string first_;  ///< Bytes read to check whether a pipe has a writer.
  std::optional<std::uint64_t> size_;
};

/// Why a file is not open.
struct NotOpened {
  enum class Why : std::uint8_t {
    kMissing,
    kFolder,
    kPipe,
    kNoFile,
    kOutside,  ///< See LimitInputs().
    kSystem
  } why = Why::kSystem;
  int number = 0;  ///< errno.

  /// "is a pipe, and no program writes into it"; for kSystem, the system's words.
  std::string Text() const;
};

/// Opens a regular file. Opens a pipe if the user named it or if it has a writer (`--policy <(sed
/// …)`), devices only if the user named them, sockets and folders never.
tl::expected<InputFile, NotOpened> OpenInput(const std::filesystem::path& path, Named named);

// The places where files may be.

/// True if `path`, which need not exist, is `folder` or below it after following its links.
/// `folder` is canonical.
bool IsWithin(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The nearest folder with `.git` above `path`, canonical; else the path's own folder.
std::filesystem::path RepositoryOf(const std::filesystem::path& path);

/// For a server: from here on OpenInput() opens only files below these canonical folders, also
/// after following links, and treats every path as kFound. ListEntries() skips links that leave the
/// folders. Call it before other threads start.
void LimitInputs(std::vector<std::filesystem::path> folders);
/// The number of entries skipped for this reason since the last call.
std::size_t TakeLinksLeftOut();

// Reading a small file as a whole.

inline constexpr std::size_t kLargestSmallFile = std::size_t{64} << 20;

/// Returns the file's bytes. nullopt if it cannot be opened or read (a folder, a pipe without a
/// writer, a failing disk), or has more than `most` bytes.
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path,
                                         std::size_t most = kLargestSmallFile);

/// Up to `most` bytes from the start; empty if it is no regular file.
std::string ReadHead(const std::filesystem::path& path, std::size_t most);
/// The end of a file and its size; nullopt if it is no regular file.
struct FileTail {
  std::string bytes;
  std::uint64_t size = 0;
};
std::optional<FileTail> ReadTail(const std::filesystem::path& path, std::size_t most);

// Listing the entries of a folder.

/// The kind of an entry as the folder states it; for a link, the kind of its target.
enum class EntryKind : std::uint8_t { kFile, kFolder, kLinkToFile, kLinkToFolder, kOther };

struct FolderEntry {
  std::filesystem::path path;  ///< With the folder.
  EntryKind kind = EntryKind::kOther;

  bool is_folder() const { return kind == EntryKind::kFolder || kind == EntryKind::kLinkToFolder; }
};

/// Returns the entries of a folder by name, without those whose name begins with a dot. Empty if
/// the folder cannot be read; the reason is in `error`, if given. Calls stat only for links. Throws
/// std::bad_alloc without memory; std::filesystem::directory_iterator of libstdc++ 12 would end the
/// program, because its increment allocates and is noexcept.
std::vector<FolderEntry> ListEntries(const std::filesystem::path& folder,
                                     std::error_code* error = nullptr);
/// Only the paths.
std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error = nullptr);

}  // namespace profgauge
