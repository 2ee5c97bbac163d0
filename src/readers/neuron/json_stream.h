// Reads rows of a table without a general JSON parser. This only reads a row that is an object of
// plain keys and values as defined below, which every JSON parser accepts. All other rows go to the
// parser, which decides about validity.
//
// A plain value is a number of at most json_scan::kMaxNumber digits and a small exponent, a string
// of printable ASCII with only one-letter escapes, true, false, null, or a list or object of plain
// values.
//
//   row       {"id": 7, "opcode": "MATMUL", "duration": 64}
//   keys      `{"id": `   `, "opcode": `   `, "duration": `   `}`      known by their bytes
//   values    7           MATMUL           64                         by the key
//
// After each key, the key that followed it in the last row is compared first, so a row with the
// same keys needs no lookup.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/neuron/record.h"
#include "readers/neuron/row_log.h"

namespace profgauge::readers::neuron {

/// Reads plain rows. It keeps no state between rows except memory.
class RowReader {
 public:
  RowReader();
  ~RowReader();

  /// Reads the row at the start of `text` into `log`, between its BeginRow() and EndRow(), and
  /// returns its length. Returns 0 if the row is not plain or reaches to the end of `text`; `log`
  /// is unchanged then, except for memory of its texts. Texts are views of `text` or of the log.
  std::size_t Read(std::string_view text, RowLog& log);

 private:
  class Values;
  class Keys;
  class Reals;
  std::unique_ptr<Keys> keys_;
  std::unique_ptr<Reals> reals_;
};

// Reads rows from a Neuron JSON document, piece by piece. A document is one object whose values are
// tables (lists of flat objects) or flat objects (summaries by name).
//
//   depth   1 {  2 [  3 { fields }  ] }        a table: rows are at depth 3
//           1 {  2 { fields } }                a summary: the object at depth 2 is the row
//           1 {  2 {  3 { fields }  } }        a table as an object by ids: rows at depth 3
//
// Deeper values belong to the field that contains them: texts are joined, numbers in "predecessors"
// are ids, and other numbers are skipped.

/// How to treat a table's rows: skip them; pass them on; or pass them on with every field under its
/// own name (Record::All). An object instead of a list is one such row, unless kRows says that its
/// values are the rows (as in the documentation of system profiles).
enum class Interest : std::uint8_t { kSkip, kRows, kAllFields };

/// A piece of the document, and a log of its rows. The log's views refer to the piece's text.
struct Piece {
  std::string text;
  RowLog log;
};

/// How rows are read: all by the JSON parser, or plain rows by RowReader. The result is the same.
enum class Rows : std::uint8_t { kParse, kReadDirectly };

/// One document. Pass its bytes to Feed(), in any pieces, then call End(). O(bytes); memory of one
/// piece and of a row that it cuts. Unusable after an error.
class JsonStream {
 public:
  /// `interest` is called once for each key of the document, in order.
  explicit JsonStream(Interest (*interest)(std::string_view table),
                      Rows rows = Rows::kReadDirectly);
  ~JsonStream();

  /// Takes the next bytes and overwrites `piece`. Logs end between rows and continue each other.
  /// Errors: "neuron/invalid-json" with the reason and the offset.
  Status Feed(std::string_view bytes, Piece& piece);
  /// Marks the end of the document. Errors: those of Feed().
  Status End(Piece& piece);
  /// Whether the document is complete.
  bool complete() const;
  std::uint64_t rows() const;  ///< Complete rows so far.
  std::uint64_t fed() const;   ///< Bytes so far.
  /// NaN and Infinity in old files, which are invalid JSON; read as null.
  std::uint64_t not_numbers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace profgauge::readers::neuron
