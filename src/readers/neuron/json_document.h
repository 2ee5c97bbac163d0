// Reads a source piece by piece; the error for a source that ends early.
//
// A document and how it is read, here in three pieces:
//
//   {"instruction": [{...}, {...}, {..|.}, {...}], "dma": [{...}, {..|.}], "summary": [{...}]}
//    piece 0                             1                             2
//   thread A   parse 0    parse 1    parse 2
//   thread B              import 0   import 1   import 2
//
// A piece ends anywhere. Its log ends between rows: a row that is cut is in the log of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/hashes.h"
#include "base/value.h"
#include "profgauge/error.h"
#include "readers/neuron/import.h"
#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// Reads a source once, piece by piece, and computes the hash of all of it.
class Input {
 public:
  explicit Input(ByteSource& source) : source_(source), buffer_(kWindow) {}

  /// The next bytes, valid until the next call; empty at the end. Errors: those of the source.
  Result<std::string_view> Next();
  /// Decompressed bytes that were read so far.
  std::uint64_t total() const { return total_; }
  /// The share of the source that was read, 0..1; 0 if its size is unknown.
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

/// Returns the error with the source's name, unless it has a file name already.
Error At(const ByteSource& source, Error error);
/// The error for a file that ends inside a row, with the number of complete rows and `help:`.
Error Truncated(const ByteSource& source, std::uint64_t offset, std::uint64_t rows);

// A JSON document of Neuron: its tables go into an import; its summaries are returned by name.

/// A summary by its key: {"n_0a73…": {"total_time": 0.0018, …}}, with names as written.
struct NamedSummary {
  std::string name;
  std::vector<std::pair<std::string, Value>> values;
};

/// The contents of a document, except for the rows of its tables.
struct JsonContents {
  std::string dialect;                  ///< "JSON", "summary-json" or "system profile".
  std::vector<NamedSummary> summaries;  ///< By device, core and name: the file has no order.
};

/// Reads the document. Rows are passed to `import` before an error occurs; `import` is unusable
/// then. Memory: two to four pieces, plus the tables. Errors: those of JsonStream;
/// "neuron/truncated" if the document ends early and `options` do not allow it.
Status ReadJson(Input& input, const ReadOptions& options, Import& import, JsonContents& contents);

}  // namespace profgauge::readers::neuron
