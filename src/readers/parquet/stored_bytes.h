// Messages for Parquet that cannot be read. The file's name is added where it is known.
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

/// The file contradicts itself or the format.
inline tl::unexpected<Error> Damaged(std::string what) {
  return Fail(InputError({}, "parquet/damaged", "the Parquet file is damaged: " + std::move(what),
                         "copy or export it again"));
}

/// The file is valid and has a feature that this reader does not have.
inline tl::unexpected<Error> Unsupported(std::string what) {
  return Fail(InputError({}, "parquet/unsupported",
                         "the Parquet file uses an unsupported feature: " + std::move(what),
                         "write it again with another tool, such as DuckDB: `duckdb -c \"COPY "
                         "(FROM 'OLD.parquet') TO 'NEW.parquet'\"`"));
}

/// The file states a size that would need more memory than any real file.
inline tl::unexpected<Error> TooLarge(std::string what) {
  return Fail(InputError({}, "parquet/too-large",
                         "the Parquet file has impossible values: " + std::move(what),
                         "copy or export it again"));
}

// A file's bytes, read where they are wanted.

/// Bytes of a file, or of memory. Several threads may read simultaneously.
class StoredBytes {
 public:
  /// Errors: kInput "input/open", "input/read".
  static Result<StoredBytes> Open(const std::string& path);
  /// REQUIRES: `bytes` outlive this.
  static StoredBytes Of(std::string name, std::string_view bytes);

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  /// Puts `count` bytes from `offset` on into `out`. REQUIRES: they are inside of size().
  /// Errors: kInput "input/read", also where the file became shorter meanwhile.
  Status Read(std::uint64_t offset, std::size_t count, std::string& out) const;

 private:
  StoredBytes(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  std::string name_;
  std::uint64_t size_ = 0;
  std::shared_ptr<const int> file_;  ///< Closed with the last that has it; none: of memory.
  std::string_view memory_;
};

}  // namespace profgauge::readers::parquet
