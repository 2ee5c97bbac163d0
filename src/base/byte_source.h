// A stream of decompressed bytes from a file, standard input or memory.
//
// All readers of text formats read through this; databases and Parquet files are read by position
// instead. Only one thread at a time may use a source.
//
// gzip and zstd are recognized by content, not by the file's name, and decompressed, also if one is
// inside the other. Data are read in windows, so memory does not grow with the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/files.h"
#include "profgauge/error.h"

namespace profgauge {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The source's name in messages: the path, or "-".
  virtual const std::string& name() const = 0;
  /// Fills `out` from the stream; returns how many bytes were written, 0 only at the end. May
  /// return fewer than fit although more follow. Errors: kInput if reading fails or data is
  /// damaged, truncated or expands too much ("gzip/truncated", "zstd/damaged", "input/too-large"…),
  /// after all bytes that could be decoded were delivered. REQUIRES: `out` is not empty.
  virtual Result<std::size_t> Read(std::span<std::byte> out) = 0;
  /// True if the bytes are decompressed from gzip or zstd.
  virtual bool compressed() const = 0;
  /// Bytes on disk, 0 if unknown (standard input); for progress.
  virtual std::uint64_t stored_bytes() const = 0;
  /// Stored bytes consumed so far; for progress.
  virtual std::uint64_t stored_consumed() const = 0;
};

/// The name of the profile that is compiled into the program.
inline constexpr std::string_view kExampleProfile = "builtin:example";
/// True if `path` is no file, so that no files can be beside it: "-", or the built-in profile.
constexpr bool HasNoFolder(std::string_view path) { return path == "-" || path == kExampleProfile; }

/// Opens `path` ("-" is standard input). Errors: kInput with the reason in words: missing, a
/// directory, not readable, empty.
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   Named named = Named::kByUser);
/// Reads from memory; `bytes` must outlive the source. Decompresses like for a file. Never fails;
/// damaged content gives its error at Read().
std::unique_ptr<ByteSource> MakeMemorySource(std::string name, std::span<const std::byte> bytes);

}  // namespace profgauge
