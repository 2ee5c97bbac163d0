// Recordings of all formats, opened, changed and written: for tests that say what a change of a
// recording must and must not change in the answer.
//
//   auto edit = edit::Edit::Open("examples/slow.pt.trace.json.gz");
//   edit->Shift(edit->Works(), 3'000'000);
//   const std::string bytes = edit->Bytes();
//
// A recording is a list of rows: events of a JSON trace, records of a JSON document, rows of a
// database's tables, events of an xplane, packets of a Perfetto trace. Verbs return false where the
// format does not have what they change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::edit {

using Ns = std::int64_t;
using Rows = std::vector<std::size_t>;
using Random = std::mt19937_64;

/// What a row is. kCopy: a copy or a memset. kLookup: no event, but what events refer to.
enum class Kind : std::uint8_t {
  kKernel,
  kCopy,
  kDeviceRange,
  kCall,
  kOperator,
  kRange,
  kOther,
  kLookup
};

/// Numbers by which rows refer to others.
enum class Field : std::uint8_t { kStream, kThread, kProcess, kCorrelation, kOperatorId };

/// What a recording can lack without being another.
enum class Fact : std::uint8_t {
  kDeviceName,
  kCapability,
  kMultiprocessors,
  kMemory,
  kDeviceList,
  kGrid,
  kOccupancy,
  kRegisters,
  kBytes,
  kShapes,
  kTypes,
  kStacks,
  kCorrelation,
  kOperatorId,
  kWorldSize,
  kArrows,
  kCount_
};
std::string_view NameOf(Fact fact);

class Edit {
 public:
  /// Null for a file of no format that is edited. `as`: "kineto", "ascend", "xla_trace", "nsight",
  /// "nvprof", "rocpd", "rocprofv3", "neuron", "xplane", "pftrace".
  static std::unique_ptr<Edit> Open(const std::filesystem::path& path, std::string_view as);
  static std::unique_ptr<Edit> OfText(std::string_view bytes, std::string_view as);
  virtual ~Edit() = default;
  virtual std::unique_ptr<Edit> Copy() const = 0;
  virtual std::string Bytes() const = 0;
  const std::string& format() const { return format_; }

  // Rows.
  virtual std::size_t size() const = 0;
  virtual Kind KindOf(std::size_t row) const = 0;
  /// Nothing for rows without a time.
  virtual std::optional<Ns> StartOf(std::size_t row) const = 0;
  virtual std::optional<Ns> LengthOf(std::size_t row) const = 0;
  virtual std::string NameOf(std::size_t row) const = 0;
  virtual std::optional<std::int64_t> Number(std::size_t row, Field field) const = 0;
  Rows All() const;
  Ns First() const;
  Rows Of(std::initializer_list<Kind> kinds) const;
  /// Works of devices.
  Rows Works() const { return Of({Kind::kKernel, Kind::kCopy}); }

  // Verbs.
  /// The recording with only these rows, in this order, which may name a row repeatedly. A row
  /// stays in its list or table.
  virtual bool Select(const Rows& rows) = 0;
  virtual bool Move(std::size_t row, Ns by) = 0;
  bool Shift(const Rows& rows, Ns by);
  /// All lengths, and all times from the first on.
  virtual bool Scale(int factor) = 0;
  /// Whether another order of rows says the same in the format.
  virtual bool IsUnordered() const { return true; }
  bool Shuffle(Random& random);
  /// Every event once more, right behind the first (`at_end`: behind all).
  bool Repeat(bool at_end);
  bool Drop(std::initializer_list<Kind> kinds);
  virtual bool Forget(Fact fact) = 0;
  virtual bool SetNumber(std::size_t row, Field field, std::optional<std::int64_t> value) = 0;
  /// Every number of that kind, wherever a row names it.
  virtual bool Relabel(Field field, const std::function<std::int64_t(std::int64_t)>& now);
  virtual bool SetName(std::size_t row, const std::string& name) = 0;
  /// The range of the row has no end.
  virtual bool CutEnd(std::size_t row) = 0;
  /// Numbers by which the format's rows refer to texts and tracks: other ones.
  virtual bool RelabelTexts(Random&) { return false; }
  /// Words, columns, fields that no reader knows.
  virtual bool AddWords() { return false; }
  /// Events, tables of others.
  virtual bool AddForeign(Random&) { return false; }
  /// A first value of this many bytes.
  virtual bool Pad(std::size_t) { return false; }
  /// All rows of the other, behind those that are here. Of one format.
  virtual bool Append(const Edit&) { return false; }
  /// As rank `rank` of a file of several ranks, which its events or its processes name.
  virtual bool Label(std::int64_t rank, bool by_process) {
    return static_cast<void>(rank), static_cast<void>(by_process), false;
  }

 protected:
  explicit Edit(std::string_view format) : format_(format) {}
  Edit(const Edit&) = default;

 private:
  std::string format_;
};

/// The bytes of a file, inflated if they are gzipped.
std::string Inflated(const std::filesystem::path& path);
std::string Gzipped(std::string_view bytes);

std::unique_ptr<Edit> EditJson(std::string_view bytes, std::string_view format);
std::unique_ptr<Edit> EditTables(std::string_view bytes, std::string_view format);
std::unique_ptr<Edit> EditWire(std::string_view bytes, std::string_view format);

}  // namespace profgauge::edit
