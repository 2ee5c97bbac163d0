#include "readers/parquet/stored_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/errors.h"
#include "base/files.h"

namespace profgauge::readers::parquet {

Result<StoredBytes> StoredBytes::Open(const std::string& path) {
  auto opened = OpenInput(path, Named::kFound);
  if (!opened) {
    return Fail(InputError(path, "input/open", "the file " + opened.error().Text(),
                           "check the path and its permissions"));
  }
  const int file = opened->Release();
  const auto close = [](const int* descriptor) {
    ::close(*descriptor);
    delete descriptor;
  };
  std::shared_ptr<const int> owner(new int(file), close);
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    return Fail(InputError(path, "input/open", "a Parquet file must be a plain file",
                           "write it to a file and pass its name"));
  }
  StoredBytes bytes(path, static_cast<std::uint64_t>(status.st_size));
  bytes.file_ = std::move(owner);
  return bytes;
}

StoredBytes StoredBytes::Of(std::string name, std::string_view bytes) {
  StoredBytes stored(std::move(name), bytes.size());
  stored.memory_ = bytes;
  return stored;
}

// Uses pread(), which takes the offset as argument. Copies of this object share the descriptor, so
// a shared position would be a data race.
Status StoredBytes::Read(std::uint64_t offset, std::size_t count, std::string& out) const {
  if (!file_) {
    out.assign(memory_.substr(static_cast<std::size_t>(offset), count));
    return {};
  }
  out.resize(count);
  for (std::size_t have = 0; have < count;) {
    const ssize_t got =
        ::pread(*file_, out.data() + have, count - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return Fail(InputError(name_, "input/read",
                             got < 0 ? "reading failed: " + std::generic_category().message(errno)
                                     : "the file became shorter while it was read",
                             "try again when nothing writes it"));
    }
    have += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace profgauge::readers::parquet
