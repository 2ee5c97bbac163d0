// A file's bytes, read where they are wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "profgauge/error.h"

namespace profgauge::readers::parquet {

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
  Status Read(std::uint64_t offset, std::size_t count, std::string& out) const;

 private:
  StoredBytes(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  std::string name_;
  std::uint64_t size_ = 0;
  std::shared_ptr<const int> file_;  ///< Closed with the last that has it; none: of memory.
  std::string_view memory_;
};

}  // namespace profgauge::readers::parquet
