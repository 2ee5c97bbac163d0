// Rows out of a Neuron JSON document, one piece of its text at a time: a document is one object
// whose values are tables (lists of flat objects), or flat objects by themselves (summaries by
// name).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/neuron/row_log.h"

namespace profgauge::readers::neuron {

/// What to do with a table's rows: nothing; give them; give them with every field by its own name
/// (Record::All). An object in place of a list is a row with every field, unless kRows says that
/// its values are the rows.
enum class Interest : std::uint8_t { kSkip, kRows, kAllFields };

/// A piece of the document and its contents. Logs hold views of the text.
struct Piece {
  std::string text;
  RowLog log;
};

/// How rows are read: all by the JSON parser, or those that RowReader can read by it. The
/// result is the same.
enum class Rows : std::uint8_t { kParse, kReadDirectly };

/// One document. Feed() takes its bytes in any pieces, End() the last of them.
class JsonStream {
 public:
  explicit JsonStream(Interest (*interest)(std::string_view table),
                      Rows rows = Rows::kReadDirectly);
  ~JsonStream();

  /// Takes the next bytes, and writes `piece` anew. Logs end between rows, and follow each other.
  /// Errors: "neuron/invalid-json" with the reason and the offset.
  Status Feed(std::string_view bytes, Piece& piece);
  /// Says that nothing follows. Errors: as Feed().
  Status End(Piece& piece);
  /// Whether the document is complete.
  bool complete() const;
  std::uint64_t rows() const;  ///< Complete rows so far.
  std::uint64_t fed() const;   ///< Bytes so far.
  /// NaN and Infinity of old files, which are no JSON; taken as null.
  std::uint64_t not_numbers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace profgauge::readers::neuron
