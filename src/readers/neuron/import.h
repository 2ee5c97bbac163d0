// Converts rows of Neuron tables to the model: the meaning of each field, for all file formats.
//
//   for each table     Begin(kind)
//   for each row       Take(kind, table, record, index)   rows as they are, times raw
//   summaries          TakeSummaryValue(name, value)
//   after all          Finish()                           times, order, links, sums, profile
//
// Finish() determines the unit and origin of times, sorts, resolves names of layers and ids of
// dependencies, completes missing data from AWS's published tables, fills the tables that all
// formats share, and compares sums of the rows with the file's own summary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/neuron.h"
#include "model/neuron_summary.h"
#include "model/profile_builder.h"
#include "profgauge/error.h"
#include "readers/neuron/recent_texts.h"
#include "readers/neuron/record.h"
#include "readers/neuron/row_room.h"
#include "readers/neuron/tables.h"

namespace profgauge::readers::neuron {

namespace data = profgauge::neuron;

/// Takes rows in any order and makes one profile. Not thread-safe.
class Import {
 public:
  ProfileBuilder& builder() { return builder_; }
  profgauge::neuron::Data& data() { return *data_; }
  ImportLog& log() { return builder_.log(); }

  /// Sets the share (0..1) of the file that was read before the next rows, to estimate how large
  /// tables become. Default: unknown.
  void SetRead(double share) { room_.SetRead(share); }
  /// Notes that the file has this table, even if the table is empty.
  void Begin(TableKind kind);
  /// Checks that a table has the columns that its rows need: a start, an end or a duration and, for
  /// instructions, an opcode. Tables without times need none. Error: kInput "neuron/columns".
  Status CheckColumns(TableKind kind, std::string_view table,
                      std::span<const std::string> columns) const;
  /// Notes missing columns that metrics need, because later schemas may drop some.
  void NoteMissing(TableKind kind, std::string_view table, std::span<const std::string> columns);
  /// Adds row number `index` of a table. `table` is its name in the file, for messages. A row that
  /// cannot be used is counted in the log. Does nothing for kinds that are not read.
  void Take(TableKind kind, std::string_view table, const Record& record, std::uint64_t index);
  /// Counts a table that is not read, so that the user sees its name.
  void TakeUnread(std::string_view table);
  /// Adds one value of a summary, with the name as written.
  void TakeSummaryValue(std::string name, Value value);

  /// Finds the unit and the origin of times, fills the common tables, and checks the identities.
  /// Call once. Errors: kInput "neuron/time-base" if times contradict the total time,
  /// "neuron/no-rows" if there are no rows. O(rows log rows), but mostly faster, because files have
  /// rows in order.
  Result<Profile> Finish();

 private:
  struct Usable {
    std::uint64_t rows = 0, dropped = 0;
  };
  struct Times {
    Ns start = 0, duration = 0;
  };
  struct Opcode {
    bool semaphore = false, setup = false, matmul = false, activate = false;
  };
  static Opcode OpcodeOf(std::string_view name);
  /// The layer of the previous instruction.
  struct LayerOf {
    std::string subgraph, layer;
    StringId path;
  };
  Usable& UsableOf(std::string_view table);
  /// Reads start and duration of a row. If it returns false, the row is counted and left out.
  bool TakeTimes(const Record& record, std::string_view table, std::uint64_t index, Times& times);
  StringId Intern(std::string_view text) {
    return text.empty() ? StringId{} : builder_.Intern(text);
  }
  /// Interns a text. Neighboring rows often have the same text, which needs no search.
  StringId Intern(Key key, std::string_view text) {
    if (text.empty()) return {};
    return interned_[static_cast<std::size_t>(key)].Of(
        text, [&](std::string_view name) { return builder_.Intern(name); });
  }
  StringId Intern(const Record& record, Key key) { return Intern(key, record.Text(key)); }

  // Parts of Take(), one for each table. A row with unusable times is counted and left out.
  void TakeInstruction(const Record& record, std::string_view table, std::uint64_t index);
  void TakeDma(TableKind kind, const Record& record, std::string_view table, std::uint64_t index);
  void TakeActive(const Record& record);
  void TakeLayer(const Record& record, std::string_view table, std::uint64_t index);
  void TakeThrottle(const Record& record, std::string_view table, std::uint64_t index);
  void TakeTensor(const Record& record);
  void TakeSemaphore(const Record& record);
  void TakeHbmUse(const Record& record);
  void TakeFlow(const Record& record);
  void TakeCcOp(const Record& record, std::string_view table, std::uint64_t index);
  void TakeCcInstruction(const Record& record, std::string_view table, std::uint64_t index);
  void TakeSbufAllocation(const Record& record, std::string_view table, std::uint64_t index);
  void TakeCurve(TableKind kind, const Record& record);
  void TakeMetadata(const Record& record);
  void SetSchemaVersion(const Record& record);
  void TakeMessage(TableKind kind, const Record& record);
  void TakeSummaryRow(const Record& record, std::uint64_t index);
  void TakeOperands(const Record& record, profgauge::neuron::Instruction& row);
  void TakeLayerOf(const Record& record, profgauge::neuron::Instruction& row);
  StringId PathOf(const LayerOf& row);
  void TakeSource(const Record& record, profgauge::neuron::Instruction& row);

  // Rows of the system profile.
  void TakeHostEvent(const Record& record, std::string_view table, std::uint64_t index);
  void AddDeviceSpan(const Record& record, Ns start, Ns duration, std::string_view name);
  void AddCallToFlows(const Record& record, const ApiRow& call);
  /// Links work to the calls that launched it, if events name their flows. Call after the last row.
  void LinkFlows();
  void TakeHostMemory(const Record& record);
  void TakeCpu(const Record& record);
  void AddHostDevices();
  void ReportHost();

  // Steps of Finish(), in order.
  Status SetTimeBase();
  void Scale(std::int64_t divisor);
  void ShiftToOrigin();
  void CompleteHardware();
  void SortRows();
  void NameLayers();
  /// Counts of edges whose rows are missing, and of ids that several rows have.
  struct Unlinked {
    std::uint64_t edges = 0, duplicates = 0;
  };
  Unlinked LinkDependencies();
  void ReportUnlinked(const Unlinked& unlinked);
  /// Fills the common tables and Data::whole from the rows.
  void FillFromRows();
  void ReportIdentities();
  void CountUnusable();
  /// Counts rows that the file's own summary counts and that are missing in the file.
  void CountLost(std::span<const profgauge::neuron::Identity> identities);
  void AddFacts();

  ProfileBuilder builder_;
  std::shared_ptr<profgauge::neuron::Data> data_ = std::make_shared<profgauge::neuron::Data>();
  struct Edge {
    std::int64_t from = 0, to = 0;  // Ids of instructions.
  };
  std::vector<Edge> edges_;
  RowRoom room_;
  std::map<std::string, Usable, std::less<>> usable_;
  Usable* usable_now_ = nullptr;  ///< The entry for the table of the last row.
  std::string usable_name_;       ///< Its name.
  /// Graph attributes of the last instruction, and the source line in them.
  std::string attributes_;
  StringId attributes_source_;
  /// The name of the parent of each layer that has one, by row of Data::layers.
  std::map<std::size_t, std::string> layer_parents_;
  struct HostUse {
    std::uint64_t samples = 0, shares = 0;
    double sum = 0, most = -1;
    std::int64_t most_bytes = profgauge::neuron::kUnknown;
    void Add(double share, std::int64_t bytes);
  };
  HostUse memory_;
  /// Calls by flow, and executions that wait for their call.
  struct FlowCall {
    bool is_launch = false;
    Ns start = 0;
    std::int64_t correlation = -1;
  };
  struct FlowWork {
    DeviceRow row;
    std::string flows;
  };
  std::map<std::string, std::vector<FlowCall>, std::less<>> flow_calls_;
  std::vector<FlowWork> flow_work_;
  std::string schema_version_;
  std::set<std::int32_t> cores_;  ///< Cores of executions in a system profile.
  std::map<std::string, HostUse, std::less<>> cpus_;
  std::array<RecentTexts<StringId>, static_cast<std::size_t>(Key::kCount_)> interned_;
  RecentTexts<Opcode> opcodes_;
  RecentTexts<profgauge::neuron::Engine> engines_;
  RecentTexts<profgauge::neuron::NumberType> number_types_;
  LayerOf layer_of_;
  std::string text_;  // Scratch.
  std::size_t operand_bytes_ = 0;
  Ns last_end_ = 0;
  bool has_host_ = false;
};

/// A core's number. A number above 65536 is invalid, because it would make tables too large.
std::int32_t CoreOf(const Record& record);

/// Removes the empty brackets of an unknown commit: "2.29.41 ()" becomes "2.29.41".
std::string WithoutEmptyCommit(std::string version);

/// Removes the number of the DMA engine from a queue: "qSyncSpillReload0-Q1-E0" becomes
/// "qSyncSpillReload0-Q1".
std::string_view QueueOf(std::string_view name);

/// Adds instructions and collectives as kernels and packets as copies, each on a named stream, and
/// layers as ranges, so that timeline and idle time work as for any device. REQUIRES: times >= 0.
///
///   stream    0, 2, 4, 6, 8        engines Tensor, Vector, Scalar, GpSimd, Sync
///             1                    matmuls of the Tensor Engine, if they have a track
///             10                   other engines
///             11                   collectives
///             15, 16 + n           DMA without an engine, DMA engine n
///
/// Waits for semaphores are no work and have no row.
void FillCommonTables(const profgauge::neuron::Data& data, ProfileBuilder& builder);

}  // namespace profgauge::readers::neuron
