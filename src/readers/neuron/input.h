// A source read piece by piece, and the message when it ends early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/content_hash.h"
#include "profgauge/error.h"

namespace profgauge::readers::neuron {

/// Reads a source once, piece by piece, and hashes all of it.
class Input {
 public:
  explicit Input(ByteSource& source) : source_(source), buffer_(kWindow) {}

  /// The next bytes, valid until the next call; empty at the end.
  Result<std::string_view> Next();
  std::uint64_t total() const { return total_; }
  /// How much of the source was read, 0..1; 0 where its size is unknown.
  double ShareRead() const;
  std::string Hash() const { return hash_.Hex(); }
  const ByteSource& source() const { return source_; }

 private:
  static constexpr std::size_t kWindow = std::size_t{1} << 20;
  ByteSource& source_;
  std::vector<std::byte> buffer_;
  ContentHash hash_;
  std::uint64_t total_ = 0;
};

/// The error, with the source's name where it has none.
Error At(const ByteSource& source, Error error);
/// The error for a file that ends inside a row, with the number of complete rows and `help:`.
Error Truncated(const ByteSource& source, std::uint64_t offset, std::uint64_t rows);

}  // namespace profgauge::readers::neuron
