// The contents of a piece of a JSON document in order: tables, rows, and fields of rows. One thread
// writes the log while it reads the document; the same or another thread reads it into records.
//
//   {"dma": [{"id": 7, "queue_type": "x"}]}
//   entries   Table "dma" | Row | Integer kId 7 | Text kQueueType "x" | End
//
// An entry has 16 bytes. Texts are views of the piece, or copies in the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readers/neuron/record.h"

namespace profgauge::readers::neuron {

/// Receives the contents of a log.
class RowReceiver {
 public:
  virtual ~RowReceiver() = default;
  /// A key of the document. If it is a table, its rows follow. `name` is valid during the call.
  virtual void BeginTable(std::string_view name) = 0;
  /// Row `index` of the current table. `whole`: the table is this one object, not a list.
  virtual void Row(const Record& record, std::uint64_t index, bool whole) = 0;
};

/// Stores texts in place until Clear(), which keeps one chunk for the next piece.
class TextStore {
 public:
  void Clear() {
    if (chunks_.size() > 1) chunks_.resize(1);
    used_ = 0;
  }
  /// Memory for `size` bytes. Pass the used size to Use() before the next call.
  char* Room(std::size_t size);
  void Use(std::size_t size) { used_ += size; }
  /// Returns a copy of `text`; empty for an empty one.
  std::string_view Keep(std::string_view text);

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;  ///< The last one is being filled.
  std::size_t used_ = 0;       ///< Used bytes of the last one.
};

/// A log of rows: written first, read afterwards, so it has no lock.
class RowLog {
 public:
  void Clear() {
    entries_.clear();
    texts_.Clear();
  }

  // Adds a table. Texts are not copied: they must live as long as the log, or come from texts().
  void BeginTable(std::string_view name) { Add(Kind::kTable, Key::kNone, name); }
  /// Begins a row. With `all_fields`, each of its fields is preceded by its name.
  void BeginRow(bool all_fields) { Add(Kind::kRow, Key::kNone, std::int64_t{all_fields}); }
  void EndRow(bool whole) { Add(Kind::kEnd, Key::kNone, std::int64_t{whole}); }
  void AddName(std::string_view name) { Add(Kind::kName, Key::kNone, name); }
  void AddInteger(Key key, std::int64_t value) { Add(Kind::kInteger, key, value); }
  void AddReal(Key key, double value) {
    Entry& entry = entries_.emplace_back();
    entry.kind = Kind::kReal;
    entry.key = key;
    entry.real = value;
  }
  void AddText(Key key, std::string_view text) { Add(Kind::kText, key, text); }
  void AddBool(Key key, bool value) { AddText(key, value ? "yes" : "no"); }
  void AddPredecessor(std::int64_t id) { Add(Kind::kPredecessor, Key::kNone, id); }

  std::size_t size() const { return entries_.size(); }
  /// Drops the last entries, down to that size.
  void Shrink(std::size_t size) { entries_.resize(size); }
  TextStore& texts() { return texts_; }
  /// Moves the entries of `other` from `begin` on to this log and copies their texts. Used for a
  /// row that the end of a piece cuts.
  void TakeFrom(RowLog& other, std::size_t begin);

 private:
  friend class RowReplay;
  enum class Kind : std::uint8_t {
    kTable,
    kRow,
    kEnd,
    kName,
    kInteger,
    kReal,
    kText,
    kPredecessor,
  };
  struct Entry {
    Kind kind = Kind::kEnd;
    Key key = Key::kNone;
    std::uint32_t size = 0;  ///< Size of the text.
    union {
      std::int64_t integer = 0;
      double real;
      const char* text;
    };
    std::string_view Text() const { return {text, size}; }
  };

  void Add(Kind kind, Key key, std::int64_t value) {
    Entry& entry = entries_.emplace_back();
    entry.kind = kind;
    entry.key = key;
    entry.integer = value;
  }
  void Add(Kind kind, Key key, std::string_view text) {
    Entry& entry = entries_.emplace_back();
    entry.kind = kind;
    entry.key = key;
    entry.size = static_cast<std::uint32_t>(text.size());
    entry.text = text.data();
  }

  std::vector<Entry> entries_;
  TextStore texts_;
};

/// Fills records from logs, one log after the other.
class RowReplay {
 public:
  explicit RowReplay(RowReceiver& receiver) : receiver_(receiver) {}
  /// Passes on the rows of the log, in order. Logs end between rows. A table may continue in the
  /// next log; then its row numbers continue, too.
  void Take(const RowLog& log);

 private:
  RowReceiver& receiver_;
  Record record_;
  std::uint64_t index_ = 0;
};

}  // namespace profgauge::readers::neuron
