// Rows of a table read without a general JSON parser, which stays the only authority on
// valid: a row is read here when it is an object of plain keys and values as below, which no JSON
// parser refuses. All others are left to it.
//
// A value is read when it is a number of at most json_scan::kMaxNumber digits and a small exponent,
// a string of printable ASCII whose escapes are of one letter, true, false, null, or a list or
// object of such values.
//
//   row       {"id": 7, "opcode": "MATMUL", "duration": 64}
//   keys      `{"id": `   `, "opcode": `   `, "duration": `   `}`      known by their bytes
//   values    7           MATMUL           64                         by the key
//
// After each key the one that followed it last is compared first, so a row like the one before
// needs no look-up.
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

/// The fast path. It keeps no state between rows except memory.
class RowReader {
 public:
  RowReader();
  ~RowReader();

  /// Reads the row at the start of `text` into `log`, between its BeginRow() and EndRow(); its
  /// length, or 0 when the JSON parser must look or the row reaches to the end of `text`: `log` is
  /// then as it was, except for memory of its texts. Texts are of `text` or of the log.
  std::size_t Read(std::string_view text, RowLog& log);

 private:
  class Values;
  class Keys;
  class Reals;
  std::unique_ptr<Keys> keys_;
  std::unique_ptr<Reals> reals_;
};

// Rows out of a Neuron JSON document, one piece of its text at a time: a document is one object
// whose values are tables (lists of flat objects), or flat objects by themselves (summaries by
// name).
//
//   depth   1 {  2 [  3 { fields }  ] }        a table: rows are at depth 3
//           1 {  2 { fields } }                a summary: the object at depth 2 is the row
//           1 {  2 {  3 { fields }  } }        a table as an object by ids: rows at depth 3
//
// Deeper values belong to the field in which they are: texts are joined, of "predecessors" the ids
// are taken, other numbers are skipped.

/// What to do with a table's rows: nothing; give them; give them with every field by its own name
/// (Record::All). An object in place of a list is a row with every field, unless kRows says that
/// its values are the rows (the documentation of system profiles shows such tables).
enum class Interest : std::uint8_t { kSkip, kRows, kAllFields };

/// A piece of the document and its contents. Logs hold views of the text.
struct Piece {
  std::string text;
  RowLog log;
};

/// How rows are read: all by the JSON parser, or those that RowReader can read by it. The
/// result is the same.
enum class Rows : std::uint8_t { kParse, kReadDirectly };

/// One document. Feed() takes its bytes in any pieces, End() the last of them. O(bytes); memory of
/// the piece and of a row that it cuts. After an error it is of no use.
class JsonStream {
 public:
  /// `interest` is asked once for each key of the document, in its order.
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
