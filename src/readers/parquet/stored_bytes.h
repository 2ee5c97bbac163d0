// The errors for unreadable Parquet. The caller adds the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "profgauge/error.h"

namespace profgauge::readers::parquet {

/// The error for a file that contradicts itself or the format.
inline tl::unexpected<Error> Damaged(std::string what) {
  return Fail(InputError({}, "parquet/damaged", "the Parquet file is damaged: " + std::move(what),
                         "copy or export it again"));
}

/// The error for a valid file with a feature that this reader does not support.
inline tl::unexpected<Error> Unsupported(std::string what) {
  return Fail(InputError({}, "parquet/unsupported",
                         "the Parquet file uses an unsupported feature: " + std::move(what),
                         "write it again with another tool, such as DuckDB: `duckdb -c \"COPY "
                         "(FROM 'OLD.parquet') TO 'NEW.parquet'\"`"));
}

/// The error for a file that states a size no real file has.
inline tl::unexpected<Error> TooLarge(std::string what) {
  return Fail(InputError({}, "parquet/too-large",
                         "the Parquet file has impossible values: " + std::move(what),
                         "copy or export it again"));
}

// Random access to the bytes of a file.

/// Bytes of a file or of memory. Several threads may read them concurrently.
class StoredBytes {
 public:
  /// Opens a file. Errors: kInput "input/open", "input/read".
  static Result<StoredBytes> Open(const std::string& path);
  /// REQUIRES: `bytes` outlive the result.
  static StoredBytes Of(std::string name, std::string_view bytes);

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  /// Copies `count` bytes from `offset` on to `out`. REQUIRES: they are inside size(). Error:
  /// kInput "input/read", also if the file has become shorter.
  Status Read(std::uint64_t offset, std::size_t count, std::string& out) const;

 private:
  StoredBytes(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  std::string name_;
  std::uint64_t size_ = 0;
  std::shared_ptr<const int> file_;  ///< Closed with the last that has it; none: of memory.
  std::string_view memory_;
};

}  // namespace profgauge::readers::parquet
