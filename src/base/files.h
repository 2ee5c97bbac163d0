// The door through which every input file comes, small files as a whole, and the entries of a
// folder.
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

// The door.

/// kByUser: an argument that names a profile; a pipe may wait for its writer. kFound: all else,
/// which configuration names or a search finds; opening never waits.
enum class Named : std::uint8_t { kByUser, kFound };

/// A file that is open for reading; closed with it. Movable.
class InputFile {
 public:
  InputFile(int descriptor, std::string first, std::optional<std::uint64_t> size)
      : descriptor_(descriptor), first_(std::move(first)), size_(size) {}
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// Up to `most` bytes more; 0 at the end, nothing where the system says no (errno).
  std::optional<std::size_t> Read(char* out, std::size_t most);
  /// Goes to a byte of a regular file; false where the system says no.
  bool Skip(std::uint64_t to);
  /// What was read of a pipe to see that it has a writer.
  std::string TakeFirst() { return std::exchange(first_, {}); }
  /// The descriptor, which the caller closes. REQUIRES: TakeFirst() was called.
  int Release();
  std::optional<std::uint64_t> size() const { return size_; }  ///< Of a regular file.

 private:
  int descriptor_;
  std::string first_;  ///< What was read to see whether a pipe has a writer.
  std::optional<std::uint64_t> size_;
};

/// Why a file is not open.
struct NotOpened {
  enum class Why : std::uint8_t {
    kMissing,
    kFolder,
    kPipe,
    kNoFile,
    kOutside,  ///< Of LimitInputs().
    kSystem
  } why = Why::kSystem;
  int number = 0;  ///< errno.

  /// "is a pipe, and no program writes into it"; of kSystem the system's words.
  std::string Text() const;
};

/// Opens a regular file. A pipe, too: named by the user always, else if somebody writes into it
/// (`--policy <(sed …)`). Devices only if the user names them; sockets and folders never.
tl::expected<InputFile, NotOpened> OpenInput(const std::filesystem::path& path, Named named);

// Where files may be.

/// Whether `path`, which need not exist, is `folder` or below it, once its links are followed.
/// `folder` is canonical.
bool IsWithin(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The folder with `.git` that is nearest above `path`, canonical; else the path's own folder.
std::filesystem::path RepositoryOf(const std::filesystem::path& path);

/// For a server: from here on OpenInput() opens files below these canonical folders only, wherever
/// a link leads when it is opened, and takes every path as found, not as named by the user. Links
/// that leave the folders are no entries. Before other threads begin.
void LimitInputs(std::vector<std::filesystem::path> folders);
/// How many entries were left out for that since the last call.
std::size_t TakeLinksLeftOut();

// A small file as a whole.

inline constexpr std::size_t kLargestSmallFile = std::size_t{64} << 20;

/// Its bytes. Nothing where it cannot be opened or read (a folder, a pipe without a writer,
/// a failing disk), and of more than `most` bytes.
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path,
                                         std::size_t most = kLargestSmallFile);

/// Up to `most` bytes from its beginning; empty where it is no regular file.
std::string ReadHead(const std::filesystem::path& path, std::size_t most);
/// The same of its end, and its size; nothing where it is no regular file.
struct FileTail {
  std::string bytes;
  std::uint64_t size = 0;
};
std::optional<FileTail> ReadTail(const std::filesystem::path& path, std::size_t most);

// The entries of a folder.

/// What an entry is by the word of its folder; a link by what it leads to.
enum class EntryKind : std::uint8_t { kFile, kFolder, kLinkToFile, kLinkToFolder, kOther };

struct FolderEntry {
  std::filesystem::path path;  ///< With the folder.
  EntryKind kind = EntryKind::kOther;

  bool is_folder() const { return kind == EntryKind::kFolder || kind == EntryKind::kLinkToFolder; }
};

/// The entries of a folder, by name, without those whose name begins with a dot; none where it
/// cannot be read, with the reason in `error`, if given. A stat for links alone. Throws
/// std::bad_alloc, where std::filesystem::directory_iterator of libstdc++ 12 ends the program: its
/// step allocates and is noexcept.
std::vector<FolderEntry> ListEntries(const std::filesystem::path& folder,
                                     std::error_code* error = nullptr);
/// Their paths alone.
std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error = nullptr);

}  // namespace profgauge
