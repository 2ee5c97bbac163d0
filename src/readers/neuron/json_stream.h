// Rows out of a Neuron JSON document, one at a time: a document is one object whose values are
// tables (lists of flat objects), or flat objects by themselves (summaries by name).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/neuron/record.h"

namespace profgauge::readers::neuron {

class RowReceiver {
 public:
  virtual ~RowReceiver() = default;
  /// What to do with a table's rows: nothing; give them; give them with every field by its own name
  /// (Record::All). An object in place of a list is a row with every field, unless kRows says that
  /// its values are the rows.
  enum class Interest : std::uint8_t { kSkip, kRows, kAllFields };
  virtual Interest BeginTable(std::string_view name) = 0;
  /// Row `index` of the table that began last. `whole`: the table is this one object, no list.
  virtual void Row(const Record& record, std::uint64_t index, bool whole) = 0;
};

class JsonStream {
 public:
  explicit JsonStream(RowReceiver& receiver);
  ~JsonStream();

  /// Takes the next bytes. Errors: "neuron/invalid-json" with the reason and the offset.
  Status Feed(std::string_view bytes);
  /// Says that nothing follows. Errors: as Feed().
  Status End();
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
