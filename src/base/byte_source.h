// A stream of decompressed bytes from a file, standard input or memory.
//
// Every reader of a text format reads through this; the contents of databases and Parquet files
// are read by position instead. One thread at a time may use a source.
//
// Content decides, not the name: gzip and zstd are unpacked whatever the file is called, also one
// inside of the other. Reading is in windows, so memory does not grow with the input.
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
  /// Its name in messages: the path, or "-".
  virtual const std::string& name() const = 0;
  /// Fills `out` from the stream; returns how many bytes were written, 0 only at the end.
  /// Errors: kInput for read failures, damaged, cut or exploding streams ("gzip/truncated",
  /// "zstd/damaged", "input/too-large"…), after all bytes that could be decoded were delivered.
  /// May return less than fits although more follows. REQUIRES: `out` is not empty.
  virtual Result<std::size_t> Read(std::span<std::byte> out) = 0;
  /// Whether the bytes come out of gzip or zstd.
  virtual bool compressed() const = 0;
  /// Bytes on disk, 0 when unknown (standard input): for progress.
  virtual std::uint64_t stored_bytes() const = 0;
  /// Stored bytes consumed so far: for progress.
  virtual std::uint64_t stored_consumed() const = 0;
};

/// The profile that is in the program.
inline constexpr std::string_view kExampleProfile = "builtin:example";
/// Whether `path` names no file, so that nothing lies beside it: "-", or a profile of the program.
constexpr bool HasNoFolder(std::string_view path) { return path == "-" || path == kExampleProfile; }

/// Opens `path` ("-" is standard input). Errors: kInput with the reason in words: missing, a
/// directory, not readable, empty.
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   Named named = Named::kByUser);
/// Reads from memory; `bytes` must outlive the source. Inflates like a file would.
/// Cannot fail here; damaged content gives its error at Read().
std::unique_ptr<ByteSource> MakeMemorySource(std::string name, std::span<const std::byte> bytes);

}  // namespace profgauge
