// Reads JSON documents of any size row by row: the rows are objects in their lists.
//
// The document is read once, in order. An object that is an element of a wanted list is passed on
// as one row of (path, value) pairs, whatever is nested in it; everything else is skipped. Nothing
// is kept, so memory is bounded by the largest row.
//
// A path joins keys with '.'; lists add nothing to it. In {"a": [{"b": [{"c": {"d": 1}}]}]} the
// lists are "a" and "a.b"; a row of "a.b" has the field "c.d". If the document itself is a list,
// its path is "".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "model/profile_builder.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// The JSON type of a value in a row.
enum class JsonForm : std::uint8_t { kNumber, kString, kBool, kNull };

/// One scalar. Numbers are their digits as written, so no precision is lost.
struct JsonField {
  std::string_view path;
  std::string_view text;
  JsonForm form = JsonForm::kNull;
};

/// One object. Views are valid only during the callback.
class JsonRow {
 public:
  explicit JsonRow(std::span<const JsonField> fields) : fields_(fields) {}
  std::span<const JsonField> fields() const { return fields_; }
  /// The first field of that path that is not null; nullptr if there is none. O(fields).
  const JsonField* Find(std::string_view path) const;
  /// The text of the first field of that path that is not null; empty if there is none.
  std::string_view Text(std::string_view path) const;
  /// The field as an integer, even if it is written as text.
  std::optional<std::int64_t> Integer(std::string_view path) const;

 private:
  std::span<const JsonField> fields_;
};

/// Receives the rows of the lists that it wants, in file order.
///
///   {"a": 1, "rows": [{"k": {"d": 2}}, {"k": null}], "z": [3]}
///
///   ReceiveScalar a=1, Wants "rows", Receive k.d=2, Receive k=null, Wants "z", ReceiveScalar z=3,
///   EndObject ""
class JsonRowReceiver {
 public:
  virtual ~JsonRowReceiver() = default;
  /// True if the objects in `list` are rows. Not called for lists inside rows.
  virtual bool Wants(std::string_view list) = 0;
  virtual void Receive(std::string_view list, const JsonRow& row) = 0;
  /// Receives a scalar that is outside of all rows.
  virtual void ReceiveScalar(const JsonField&) {}
  /// The end of an object outside of rows; the document itself is "".
  virtual void EndObject(std::string_view /*path*/) {}
};

/// Reads all of `source` and sets path, bytes and hash of builder.source(). A byte order mark is
/// skipped and counted. Errors: kInput "json/truncated" and "json/invalid" with the byte. With
/// options.allow_incomplete, a truncated document is accepted and counted.
Status ReadJsonRows(ByteSource& source, const ReadOptions& options, JsonRowReceiver& receiver,
                    ProfileBuilder& builder);

/// Passes on a JSON object in a text, e.g. in a cell of a table, as one row. False if the text is
/// not JSON; `take` may have been called even then.
bool ReadJsonObject(std::string_view text, const std::function<void(const JsonRow&)>& take);

}  // namespace profgauge::readers
