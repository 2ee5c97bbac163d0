// Rows of Neuron tables into the model: what each field means, whatever form the file has.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/neuron.h"
#include "model/profile_builder.h"
#include "profgauge/error.h"
#include "readers/neuron/record.h"

namespace profgauge::readers::neuron {

namespace data = profgauge::neuron;

/// The tables that are read. JSON and schema 7.4.0 name and split them differently.
enum class TableKind : std::uint8_t {
  kUnused,  ///< Known, and nothing in it is used here.
  kUnknown,
  kInstructions,
  kDma,
  kPackets,
  kTransfers,
  kActive,
  kLayers,
  kSemaphores,
  kThroughput,
  kHbmThroughput,
  kPendingDma,
  kMemoryUsage,
  kSbufUsage,
  kPsumUsage,
  kThrottles,
  kHbmUse,
  kTensors,
  kSummary,
  kMetadata,
  kModelInfo,
  kWarnings,
  kErrors,
  kCcOps,
  kCcInstructions,
  kFlow,
  kTraceEvents,
  kHostMemory,
  kCpu,
};
/// By its name in JSON ("layer_summary") or in the schema ("FrameworkNode").
TableKind TableKindOf(std::string_view name);

/// Takes rows in any order and makes the profile.
class Import {
 public:
  ProfileBuilder& builder() { return builder_; }
  data::Data& data() { return *data_; }
  ImportLog& log() { return builder_.log(); }

  /// The file has that table, be it empty.
  void Begin(TableKind kind);
  /// `table` is its name in the file, for messages.
  void Take(TableKind kind, std::string_view table, const Record& record, std::uint64_t index);
  void TakeUnread(std::string_view table);
  /// One value of a summary, with the name as written.
  void TakeSummaryValue(std::string name, Value value);

  /// Finds the unit and the origin of times, fills the common tables, and checks the identities.
  /// Errors: kInput "neuron/time-base" when times contradict the total time, "neuron/no-rows" when
  /// there is nothing at all.
  Result<Profile> Finish();

 private:
  struct Usable {
    std::uint64_t rows = 0, dropped = 0;
  };
  struct Times {
    Ns start = 0, duration = 0;
  };
  /// Start and duration of a row, or nothing: the row is counted and left out.
  bool TakeTimes(const Record& record, std::string_view table, std::uint64_t index, Times& times);
  StringId Intern(std::string_view text) {
    return text.empty() ? StringId{} : builder_.Intern(text);
  }
  StringId Intern(const Record& record, Key key) { return Intern(record.Text(key)); }

  void TakeInstruction(const Record& record, std::string_view table, std::uint64_t index);
  void TakeDma(TableKind kind, const Record& record, std::string_view table, std::uint64_t index);
  void TakeActive(const Record& record);
  void TakeLayer(const Record& record, std::string_view table, std::uint64_t index);
  void TakeThrottle(const Record& record, std::string_view table, std::uint64_t index);
  void TakeTensor(const Record& record);
  void TakeCcOp(const Record& record, std::string_view table, std::uint64_t index);
  void TakeCurve(TableKind kind, const Record& record);
  void TakeMetadata(const Record& record);
  void TakeHostEvent(const Record& record, std::string_view table, std::uint64_t index);
  void TakeMessage(TableKind kind, const Record& record);

  Status SetTimeBase();
  void Scale(std::int64_t divisor);
  void ShiftToOrigin();
  void SortRows();
  void LinkDependencies();
  void CountUnusable();
  void FillCommonTables();
  void FillInstructions();
  void FillDma();
  void FillCollectives();
  void AddFacts();

  ProfileBuilder builder_;
  std::shared_ptr<data::Data> data_ = std::make_shared<data::Data>();
  struct Edge {
    std::int64_t from = 0, to = 0;  // Ids of instructions.
  };
  std::vector<Edge> edges_;
  std::map<std::string, Usable, std::less<>> usable_;
  std::string text_;  // Scratch.
  Ns last_end_ = 0;
  bool has_host_ = false;
};

/// The queue without the number of its DMA engine: "qSyncSpillReload0-Q1-E0" is
/// "qSyncSpillReload0-Q1".
std::string_view QueueOf(std::string_view name);

}  // namespace profgauge::readers::neuron
