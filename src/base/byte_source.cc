#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/inflate.h"

namespace profgauge {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;

/// The stored bytes, as they come: from a file descriptor or from memory.
class Stored {
 public:
  Stored(std::string name, int descriptor, bool owned, std::uint64_t size)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned), size_(size) {
    block_.resize(kBlock);
  }
  Stored(std::string name, std::span<const std::byte> bytes)
      : name_(std::move(name)), size_(bytes.size()), left_(bytes) {}
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  ~Stored() {
    if (owned_) ::close(descriptor_);
  }

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t consumed() const { return consumed_; }
  std::span<const std::byte> left() const { return left_; }
  void Take(std::size_t count) {
    left_ = left_.subspan(count);
    consumed_ += count;
  }

  /// Makes at least `count` bytes available in left() unless the end comes first.
  /// REQUIRES: count <= kBlock.
  Status Fill(std::size_t count) {
    if (left_.size() >= count || descriptor_ < 0) return {};
    std::copy(left_.begin(), left_.end(), block_.begin());
    std::size_t have = left_.size();
    while (have < count) {
      const auto got = ReadSome(std::span(block_).subspan(have));
      if (!got) return Fail(got.error());
      if (*got == 0) break;
      have += *got;
    }
    left_ = std::span(block_).first(have);
    return {};
  }

  /// Past left(): straight into the caller's buffer. REQUIRES: left().empty().
  Result<std::size_t> ReadDirect(std::span<std::byte> out) {
    if (descriptor_ < 0) return std::size_t{0};
    auto got = ReadSome(out);
    if (got) consumed_ += *got;
    return got;
  }

 private:
  Result<std::size_t> ReadSome(std::span<std::byte> out) {
    for (;;) {
      const ssize_t got = ::read(descriptor_, out.data(), out.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EINTR) continue;
      return Fail(
          InputError(name_, "input/read", std::string("cannot be read: ") + std::strerror(errno)));
    }
  }

  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t consumed_ = 0;
  std::vector<std::byte> block_;
  std::span<const std::byte> left_;
};

class StreamSource final : public ByteSource {
 public:
  explicit StreamSource(std::unique_ptr<Stored> stored) : stored_(std::move(stored)) {}

  /// Looks at the first bytes to decide whether to inflate.
  Status Begin() {
    PROFGAUGE_CHECK(stored_->Fill(2));
    const auto head = stored_->left();
    if (LooksGzip(head)) inflater_ = MakeInflater();
    return {};
  }

  const std::string& name() const override { return stored_->name(); }
  bool compressed() const override { return inflater_ != nullptr; }
  std::uint64_t stored_bytes() const override { return stored_->size(); }
  std::uint64_t stored_consumed() const override { return stored_->consumed(); }

  Result<std::size_t> Read(std::span<std::byte> out) override {
    return inflater_ ? ReadInflated(out) : ReadPlain(out);
  }

 private:
  static bool LooksGzip(std::span<const std::byte> head) {
    return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
  }

  Result<std::size_t> ReadPlain(std::span<std::byte> out) {
    if (stored_->left().empty()) return stored_->ReadDirect(out);
    const auto count = std::min(out.size(), stored_->left().size());
    std::memcpy(out.data(), stored_->left().data(), count);
    stored_->Take(count);
    return count;
  }

  Result<std::size_t> ReadInflated(std::span<std::byte> out) {
    if (failed_) return Fail(*failed_);
    std::size_t written = 0;
    while (written < out.size() && !ended_) {
      PROFGAUGE_CHECK(stored_->Fill(1));
      const auto step = inflater_->Decode(stored_->left(), out.subspan(written));
      stored_->Take(step.consumed);
      written += step.written;
      if (step.state == Inflater::State::kMemberEnd) {
        PROFGAUGE_CHECK(NextMember());
      } else if (step.state == Inflater::State::kDamaged) {
        return Deliver(written, DamagedError());
      } else if (step.consumed == 0 && step.written == 0 && stored_->left().empty()) {
        return Deliver(written, TruncatedError());
      }
    }
    return written;
  }

  /// Bytes that could be decoded go out first; the error comes with the next call.
  Result<std::size_t> Deliver(std::size_t written, Error error) {
    failed_ = std::move(error);
    if (written > 0) return written;
    return Fail(*failed_);
  }

  /// gzip files may be concatenated; anything else behind the end (zero padding, junk) is ignored,
  /// as gzip does.
  Status NextMember() {
    PROFGAUGE_CHECK(stored_->Fill(2));
    if (LooksGzip(stored_->left())) {
      inflater_ = MakeInflater();
    } else {
      ended_ = true;
    }
    return {};
  }

  Error TruncatedError() const {
    auto error = InputError(name(), "gzip/truncated", "the gzip stream ends early");
    error.notes.emplace_back(
        "help: the file was cut off while it was written or copied; copy it again");
    return error;
  }
  Error DamagedError() const {
    auto error = InputError(name(), "gzip/damaged", "the gzip stream is damaged");
    error.notes.emplace_back("help: `gzip -t` on the file tells the same; copy or record it again");
    return error;
  }

  std::unique_ptr<Stored> stored_;
  std::unique_ptr<Inflater> inflater_;
  bool ended_ = false;
  std::optional<Error> failed_;
};

Result<std::unique_ptr<ByteSource>> Start(std::unique_ptr<Stored> stored) {
  auto source = std::make_unique<StreamSource>(std::move(stored));
  PROFGAUGE_CHECK(source->Begin());
  return source;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path) {
  if (path == "-") return Start(std::make_unique<Stored>(path, STDIN_FILENO, false, 0));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return Fail(InputError(
        path, missing ? "input/missing" : "input/open",
        missing ? "no such file" : std::string("cannot be opened: ") + std::strerror(errno),
        missing ? "check the path; a folder of recordings is taken too" : "check its permissions"));
  }
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  const auto size = known && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  auto stored = std::make_unique<Stored>(path, descriptor, true, size);
  if (known && S_ISDIR(info.st_mode)) {
    return Fail(InputError(path, "input/directory", "is a directory, expected a file"));
  }
  if (known && S_ISREG(info.st_mode) && size == 0) {
    auto error = InputError(path, "input/empty", "the file is empty");
    error.notes.emplace_back(
        "help: the profiler was probably stopped before it wrote anything; record again");
    return Fail(std::move(error));
  }
  return Start(std::move(stored));
}

std::unique_ptr<ByteSource> MakeMemorySource(std::string name, std::span<const std::byte> bytes) {
  auto source = std::make_unique<StreamSource>(std::make_unique<Stored>(std::move(name), bytes));
  (void)source->Begin();  // Memory cannot fail to be read.
  return source;
}

}  // namespace profgauge
