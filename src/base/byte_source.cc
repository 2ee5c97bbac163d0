#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/gzip.h"
#include "base/text.h"

namespace profgauge::base {
// Defined by CMakeLists.txt.
std::string_view EmbeddedProfile(std::string_view path);
}  // namespace profgauge::base

namespace profgauge {
namespace {

// Stored bytes for the decoder. Plain files bypass it: ReadDirect() fills the caller's buffer.
constexpr std::size_t kBlock = std::size_t{256} << 10;

/// Limits on the decompressed size of a profile: a minimum, and a factor of the stored size.
constexpr std::uint64_t kLongUnpacked = std::uint64_t{64} << 20, kMostForEach = 1000;

/// The stored bytes: from a file descriptor, from memory, or from another source.
///
/// How sources are composed. Each box is a ByteSource or a Stored, and reads from its right:
///
///   file                 StreamSource <- Stored(descriptor)
///   file.gz              StreamSource <- Stored <- StreamSource(gzip) <- Stored(descriptor)
///   file.gz.gz           StreamSource(gzip) <- Stored <- StreamSource(gzip) <- Stored(descriptor)
///   run.zip/rank0.gz     StreamSource <- Stored <- StreamSource(gzip) <- Stored <- ZipMember
///
/// The left source of a compressed file checks for a second layer; without one, it passes bytes on.
/// A third layer is not detected: its bytes reach the readers compressed, and none accepts them.
class Stored {
 public:
  Stored(std::string name, int descriptor, bool owned, std::uint64_t size)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned), size_(size) {
    block_.resize(kBlock);
  }
  Stored(std::string name, std::span<const std::byte> bytes)
      : name_(std::move(name)), size_(bytes.size()), left_(bytes) {}
  explicit Stored(std::unique_ptr<ByteSource> inner)
      : name_(inner->name()), inner_(std::move(inner)) {
    block_.resize(kBlock);
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  ~Stored() {
    if (owned_) ::close(descriptor_);
  }

  /// Adds bytes that were already read, before all others.
  void Begin(std::string_view bytes) {
    const auto read = std::as_bytes(std::span(bytes));
    std::copy(read.begin(), read.end(), block_.begin());
    left_ = std::span(block_).first(read.size());
  }

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return inner_ ? inner_->stored_bytes() : size_; }
  std::uint64_t consumed() const { return inner_ ? inner_->stored_consumed() : consumed_; }
  /// True if the bytes were compressed twice.
  bool is_unpacked() const { return inner_ != nullptr; }
  std::span<const std::byte> left() const { return left_; }
  void Take(std::size_t count) {
    left_ = left_.subspan(count);
    consumed_ += count;
  }

  /// Makes at least `count` bytes available in left(), unless the end comes first. REQUIRES: count
  /// <= kBlock.
  Status Fill(std::size_t count) {
    if (left_.size() >= count || is_memory()) return {};
    std::copy(left_.begin(), left_.end(), block_.begin());
    left_ = std::span(block_).first(left_.size());
    while (left_.size() < count) {
      const auto got = ReadSome(std::span(block_).subspan(left_.size()));
      if (!got) return Fail(got.error());
      if (*got == 0) break;
      left_ = std::span(block_).first(left_.size() + *got);
    }
    return {};
  }

  /// Reads past left(), directly into the caller's buffer. REQUIRES: left().empty().
  Result<std::size_t> ReadDirect(std::span<std::byte> out) {
    if (is_memory()) return std::size_t{0};
    auto got = ReadSome(out);
    if (got) consumed_ += *got;
    return got;
  }

 private:
  bool is_memory() const { return descriptor_ < 0 && inner_ == nullptr; }
  Result<std::size_t> ReadSome(std::span<std::byte> out) {
    if (inner_) return inner_->Read(out);
    for (;;) {
      const ssize_t got = ::read(descriptor_, out.data(), out.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      return Fail(
          InputError(name_, "input/read", std::string("cannot be read: ") + std::strerror(errno)));
    }
  }

  std::string name_;
  std::unique_ptr<ByteSource> inner_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t consumed_ = 0;
  std::vector<std::byte> block_;
  std::span<const std::byte> left_;
};

/// A stream of members, each gzip or zstd, or of plain bytes. After a decoding failure, every
/// further Read() returns the same error.
class StreamSource final : public ByteSource {
 public:
  explicit StreamSource(std::unique_ptr<Stored> stored) : stored_(std::move(stored)) {}

  /// Examines the first bytes to decide whether to decompress.
  Status Begin() {
    PROFGAUGE_CHECK(stored_->Fill(kMagic));
    BeginMember();
    return {};
  }

  const std::string& name() const override { return stored_->name(); }
  bool compressed() const override { return inflater_ != nullptr || stored_->is_unpacked(); }
  std::uint64_t stored_bytes() const override { return stored_->size(); }
  std::uint64_t stored_consumed() const override { return stored_->consumed(); }

  Result<std::size_t> Read(std::span<std::byte> out) override {
    return inflater_ ? ReadInflated(out) : ReadPlain(out);
  }

 private:
  static constexpr std::size_t kMagic = 4;

  static bool LooksGzip(std::span<const std::byte> head) {
    return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
  }
  /// True for a frame, also for a skippable one.
  static bool LooksZstd(std::span<const std::byte> head) {
    const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(head[i]); };
    if (head.size() < kMagic) return false;
    return (at(0) == 0x28 && at(1) == 0xB5 && at(2) == 0x2F && at(3) == 0xFD) ||
           (at(0) >> 4 == 5 && at(1) == 0x2A && at(2) == 0x4D && at(3) == 0x18);
  }
  /// Starts a member if one begins here; false if none does.
  bool BeginMember() {
    const auto head = stored_->left();
    const bool is_gzip = LooksGzip(head), is_zstd = !is_gzip && LooksZstd(head);
    if (is_gzip) inflater_ = MakeInflater();
    if (is_zstd) inflater_ = MakeZstdDecoder();
    if (is_gzip || is_zstd) is_zstd_ = is_zstd;
    return is_gzip || is_zstd;
  }

  Result<std::size_t> ReadPlain(std::span<std::byte> out) {
    if (stored_->left().empty()) return stored_->ReadDirect(out);
    const auto count = std::min(out.size(), stored_->left().size());
    std::memcpy(out.data(), stored_->left().data(), count);
    stored_->Take(count);
    return count;
  }

  // Each round decodes the buffered bytes. A failure to read more is not returned yet: the decoder
  // may still have output for the bytes before it, which the caller must get first.
  Result<std::size_t> ReadInflated(std::span<std::byte> out) {
    if (failed_) return Fail(*failed_);
    std::size_t written = 0;
    while (written < out.size() && !ended_) {
      const auto filled = stored_->Fill(1);  // The error follows the buffered bytes.
      const auto step = inflater_->Decode(stored_->left(), out.subspan(written));
      stored_->Take(step.consumed);
      written += step.written;
      unpacked_ += step.written;
      if (IsBomb()) return Deliver(written, BombError());
      if (step.state == Inflater::State::kMemberEnd) {
        if (const auto next = NextMember(); !next) return Deliver(written, next.error());
      } else if (step.state == Inflater::State::kDamaged) {
        return Deliver(written, DamagedError());
      } else if (step.state == Inflater::State::kTooLarge) {
        return Deliver(written, WindowError());
      } else if (step.consumed == 0 && step.written == 0 && stored_->left().empty()) {
        return Deliver(written, filled ? TruncatedError() : filled.error());
      }
    }
    return written;
  }

  /// Returns the decoded bytes first; the error is returned by the next call.
  Result<std::size_t> Deliver(std::size_t written, Error error) {
    failed_ = std::move(error);
    if (written > 0) return written;
    return Fail(*failed_);
  }

  /// Members may be concatenated; anything else after the end (zero padding, junk) is ignored, as
  /// in gzip.
  Status NextMember() {
    PROFGAUGE_CHECK(stored_->Fill(kMagic));
    ended_ = !BeginMember();
    return {};
  }

  /// Whether the data expands too much. One layer of gzip cannot: DEFLATE's own limit is 1 032
  /// bytes for one. zstd and two layers of gzip have no such limit.
  bool IsBomb() const {
    return (is_zstd_ || stored_->is_unpacked()) && unpacked_ > kLongUnpacked &&
           unpacked_ / kMostForEach > stored_->consumed();
  }

  std::string Format() const { return is_zstd_ ? "zstd" : "gzip"; }
  Error TruncatedError() const {
    auto error =
        InputError(name(), Format() + "/truncated", "the " + Format() + " stream ends early");
    error.notes.emplace_back(
        "help: the file was cut off while it was written or copied; copy it again");
    return error;
  }
  Error DamagedError() const {
    auto error =
        InputError(name(), Format() + "/damaged", "the " + Format() + " stream is damaged");
    error.notes.emplace_back("help: `" + Format() +
                             " -t` on the file fails too; copy or record it again");
    return error;
  }
  Error WindowError() const {
    return InputError(name(), "zstd/window",
                      "the zstd stream was compressed with a window above 128 MB",
                      "`zstd -dc --long=31 FILE | profgauge check -`");
  }
  Error BombError() const {
    return InputError(name(), "input/too-large",
                      "each stored byte unpacks to more than 1000, which no profile does",
                      "unpack the file and look at its content");
  }

  std::unique_ptr<Stored> stored_;
  std::unique_ptr<Inflater> inflater_;
  std::uint64_t unpacked_ = 0;
  bool is_zstd_ = false, ended_ = false;
  std::optional<Error> failed_;
};

/// Checks compressed data for a second layer, since servers compress files that are compressed
/// already. An error found here is reported again when it is read.
std::unique_ptr<ByteSource> Unpacked(std::unique_ptr<StreamSource> source) {
  if (!source->compressed()) return source;
  auto again = std::make_unique<StreamSource>(std::make_unique<Stored>(std::move(source)));
  (void)again->Begin();
  return again;
}

Result<std::unique_ptr<ByteSource>> Start(std::unique_ptr<Stored> stored) {
  auto source = std::make_unique<StreamSource>(std::move(stored));
  PROFGAUGE_CHECK(source->Begin());
  return Unpacked(std::move(source));
}

/// Opens the member that PATH/MEMBER names; nullopt if PATH is no archive. Called only if the
/// system reports that a part of the path is no folder, so plain files are not slowed down.
std::optional<Result<std::unique_ptr<ByteSource>>> MemberAt(const std::string& path) {
  const auto end = EndOfArchive(path);
  const auto kind = end ? ArchiveKindOf(path.substr(0, *end)) : std::nullopt;
  if (!kind) return std::nullopt;
  auto member = OpenMember(path.substr(0, *end), *kind, path.substr(*end + 1));
  if (!member) return Fail(std::move(member).error());
  return Start(std::make_unique<Stored>(*std::move(member)));
}

/// A file in the same folder with a similar name; empty if there is none.
std::string Similar(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string name = fs::path(path).filename().string();
  const std::string_view near = DidYouMean(name, candidates);
  return near.empty() ? "" : (folder / near).string();
}

// The error for a missing file; names with a special form have a separate next step.
Error MissingFile(const std::string& path) {
  if (path.starts_with("builtin:")) {
    return InputError(path, "input/missing", fmt::format("there is no profile {}", Printable(path)),
                      fmt::format("the example is {}", kExampleProfile));
  }
  const std::size_t scheme = path.find("://");
  if (scheme != path.npos && scheme > 0 && path.find_first_of("/.") == scheme + 1) {
    const bool is_web = path.starts_with("http");
    return InputError(
        path, "input/missing",
        fmt::format("`{}` is an address; ProfGauge reads no network", Printable(path)),
        is_web ? fmt::format("`curl -fsS {} | profgauge check -`, or your store's own client",
                             Printable(path))
               : fmt::format("copy it with your store's client, or pipe it: `curl -fsS ADDRESS | "
                             "profgauge check -`"));
  }
  if (path.find_first_of("*?[") != path.npos) {
    return InputError(path, "input/missing", fmt::format("no file matches `{}`", Printable(path)),
                      "the shell expands patterns; this one matched nothing");
  }
  const std::string similar = Similar(path);
  return InputError(path, "input/missing", "no such file",
                    similar.empty() ? "check the path; a folder of profiles is accepted, too"
                                    : fmt::format("did you mean `{}`?", Printable(similar)));
}

}  // namespace

//   path                 result of opening it
//   runs/rank0.json.gz   a file: Start() looks at its first bytes for gzip or zstd
//   runs.zip/rank0.json  ENOTDIR: a file is used as a folder, so it may be an archive
//   runs                 a folder can be opened; fstat() shows that it is one
//   /dev/fd/3            a pipe: its size is unknown, like that of standard input
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path, Named named) {
  if (path == "-") return Start(std::make_unique<Stored>(path, STDIN_FILENO, false, 0));
  if (path == kExampleProfile) {
    const std::string_view bytes = base::EmbeddedProfile("examples/slow.pt.trace.json.gz");
    return MakeMemorySource(path, std::as_bytes(std::span(bytes)));
  }
  auto file = OpenInput(path, named);
  if (!file) {
    const NotOpened& problem = file.error();
    if (problem.number == ENOTDIR) {
      if (auto member = MemberAt(path)) return *std::move(member);
    }
    switch (problem.why) {
      case NotOpened::Why::kMissing:
        return Fail(MissingFile(path));
      case NotOpened::Why::kFolder:
        return Fail(InputError(path, "input/directory", problem.Text()));
      case NotOpened::Why::kPipe:
      case NotOpened::Why::kNoFile:
        return Fail(InputError(path, "input/not-a-file", problem.Text(), "give a file"));
      case NotOpened::Why::kOutside:
        return Fail(InputError(path, "input/outside", problem.Text(),
                               "name a file below the server's folders (`--root`)"));
      case NotOpened::Why::kSystem:
        break;
    }
    return Fail(InputError(path, "input/open", problem.Text(), "check its permissions"));
  }
  const std::optional<std::uint64_t> size = file->size();
  const std::string first = file->TakeFirst();
  auto stored = std::make_unique<Stored>(path, file->Release(), true, size.value_or(0));
  stored->Begin(first);
  if (size == 0) {
    auto error = InputError(path, "input/empty", "the file is empty");
    error.notes.emplace_back(
        "help: the profiler was probably stopped before it wrote anything; record again");
    return Fail(std::move(error));
  }
  return Start(std::move(stored));
}

std::unique_ptr<ByteSource> MakeMemorySource(std::string name, std::span<const std::byte> bytes) {
  auto source = std::make_unique<StreamSource>(std::make_unique<Stored>(std::move(name), bytes));
  (void)source->Begin();  // Reading from memory cannot fail.
  return Unpacked(std::move(source));
}

}  // namespace profgauge
