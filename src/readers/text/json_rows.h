// JSON documents of any size, row by row: the objects in their lists.
//
// The document is walked once while it is read. An object that is an element of a wanted list is
// given as one row of (path, value) pairs, whatever is nested in it; everything else is skipped.
// Nothing is kept, so memory is bounded by the largest row.
//
// A path joins keys with '.'; lists add nothing to it. In {"a": [{"b": [{"c": {"d": 1}}]}]} the
// lists are "a" and "a.b"; a row of "a.b" has the field "c.d". The list of a document that is a
// list itself is "".
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

/// One scalar. Numbers are their digits as written, so nothing is lost on the way.
struct JsonField {
  std::string_view path;
  std::string_view text;
  JsonForm form = JsonForm::kNull;
};

/// One object. Views are valid during the call that hands it over.
class JsonRow {
 public:
  explicit JsonRow(std::span<const JsonField> fields) : fields_(fields) {}
  std::span<const JsonField> fields() const { return fields_; }
  /// The first field of that path which is not null; nullptr when there is none.
  /// O(fields).
  const JsonField* Find(std::string_view path) const;
  /// Its text; empty when there is none.
  std::string_view Text(std::string_view path) const;
  /// A whole number, also when written as text.
  std::optional<std::int64_t> Integer(std::string_view path) const;

 private:
  std::span<const JsonField> fields_;
};

/// Gets the rows of the lists that it wants, in file order.
///
///   {"a": 1, "rows": [{"k": {"d": 2}}, {"k": null}], "z": [3]}
///
///   ReceiveScalar a=1, Wants "rows", Receive k.d=2, Receive k=null, Wants "z", ReceiveScalar z=3,
///   EndObject ""
class JsonRowReceiver {
 public:
  virtual ~JsonRowReceiver() = default;
  /// Whether the objects in `list` are rows. Lists inside rows are not asked about.
  virtual bool Wants(std::string_view list) = 0;
  virtual void Receive(std::string_view list, const JsonRow& row) = 0;
  /// A scalar outside of rows.
  virtual void ReceiveScalar(const JsonField&) {}
  /// The end of an object outside of rows; the document itself is "".
  virtual void EndObject(std::string_view /*path*/) {}
};

/// Reads all of `source`, filling path, bytes and hash of builder.source(). Errors: kInput
/// "json/truncated" and "json/invalid" with the byte; a truncated document is accepted and counted
/// with options.allow_incomplete. A byte order mark is skipped and counted.
Status ReadJsonRows(ByteSource& source, const ReadOptions& options, JsonRowReceiver& receiver,
                    ProfileBuilder& builder);

/// Gives the object that a text is, a cell of a table, as one row. False where it is no JSON;
/// `take` may have been called all the same.
bool ReadJsonObject(std::string_view text, const std::function<void(const JsonRow&)>& take);

}  // namespace profgauge::readers
