// Rows of Neuron tables into the model: the meaning of each field, in every form of file.
//
//   for each table     Begin(kind)
//   for each row       Take(kind, table, record, index)   rows as they are, times raw
//   summaries          TakeSummaryValue(name, value)
//   after all          Finish()                           times, order, links, sums, profile
//
// Finish() gives times their unit and origin, sorts, resolves names of layers and ids of
// dependencies, fills data that the file does not have from tables of AWS's pages, fills the tables
// that all formats share, and compares sums of the rows with those of the file's own summary.
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

/// Takes rows in any order and makes the profile. Not thread-safe. An object is for one profile.
class Import {
 public:
  ProfileBuilder& builder() { return builder_; }
  profgauge::neuron::Data& data() { return *data_; }
  ImportLog& log() { return builder_.log(); }

  /// How much of the file was read before the rows that follow, 0..1: how large tables become.
  /// Default: unknown.
  void SetRead(double share) { room_.SetRead(share); }
  /// The file has that table, be it empty.
  void Begin(TableKind kind);
  /// That a table has the columns without which its rows say nothing: a start, and an end or a
  /// duration. Nothing is asked of tables without times. Errors: kInput "neuron/columns".
  Status CheckColumns(TableKind kind, std::string_view table,
                      std::span<const std::string> columns) const;
  /// Notes columns that metrics need and the table lacks, as a later schema may.
  void NoteMissing(TableKind kind, std::string_view table, std::span<const std::string> columns);
  /// One row, the number `index` of its table. `table` is its name in the file, for messages. A row
  /// that cannot be used is counted in the log. Kinds that are not read do nothing.
  void Take(TableKind kind, std::string_view table, const Record& record, std::uint64_t index);
  /// The file has a table that is not read; it is named to the user.
  void TakeUnread(std::string_view table);
  /// One value of a summary, with the name as written.
  void TakeSummaryValue(std::string name, Value value);

  /// Finds the unit and the origin of times, fills the common tables, and checks the identities.
  /// Call it once. Errors: kInput "neuron/time-base" when times contradict the total time,
  /// "neuron/no-rows" when there is nothing at all. O(rows log rows), mostly less: files have their
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
  /// The layer that an instruction was of last.
  struct LayerOf {
    std::string subgraph, layer;
    StringId path;
  };
  Usable& UsableOf(std::string_view table);
  /// Start and duration of a row, or nothing: the row is counted and left out.
  bool TakeTimes(const Record& record, std::string_view table, std::uint64_t index, Times& times);
  StringId Intern(std::string_view text) {
    return text.empty() ? StringId{} : builder_.Intern(text);
  }
  /// Rows near each other often say the same: that is found without a search.
  StringId Intern(Key key, std::string_view text) {
    if (text.empty()) return {};
    return interned_[static_cast<std::size_t>(key)].Of(
        text, [&](std::string_view name) { return builder_.Intern(name); });
  }
  StringId Intern(const Record& record, Key key) { return Intern(key, record.Text(key)); }

  // Take(), table by table. A row whose times cannot be used is counted and left out.
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

  // The system profile.
  void TakeHostEvent(const Record& record, std::string_view table, std::uint64_t index);
  void AddDeviceSpan(const Record& record, Ns start, Ns duration, std::string_view name);
  void AddCallToFlows(const Record& record, const ApiRow& call);
  /// Gives work the calls that asked for it, where events name flows. After the last row.
  void LinkFlows();
  void TakeHostMemory(const Record& record);
  void TakeCpu(const Record& record);
  void AddHostDevices();
  void ReportHost();

  // The steps of Finish().
  Status SetTimeBase();
  void Scale(std::int64_t divisor);
  void ShiftToOrigin();
  void CompleteHardware();
  void SortRows();
  void NameLayers();
  /// Edges that have no row, and ids that several rows have.
  struct Unlinked {
    std::uint64_t edges = 0, duplicates = 0;
  };
  Unlinked LinkDependencies();
  void ReportUnlinked(const Unlinked& unlinked);
  /// The values that common tables and Data::whole take from the rows.
  void FillFromRows();
  void ReportIdentities();
  void CountUnusable();
  /// Rows that the file's own summary counts and that are not there.
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
  Usable* usable_now_ = nullptr;  ///< For the table of the last row.
  std::string usable_name_;       ///< Its name.
  /// Attributes of the graph that the last instruction had, and the line of source in them.
  std::string attributes_;
  StringId attributes_source_;
  /// Names of parents, of the layers that have one, by row of Data::layers.
  std::map<std::size_t, std::string> layer_parents_;
  struct HostUse {
    std::uint64_t samples = 0, shares = 0;
    double sum = 0, most = -1;
    std::int64_t most_bytes = profgauge::neuron::kUnknown;
    void Add(double share, std::int64_t bytes);
  };
  HostUse memory_;
  /// Calls by the flows that they are of, and work that waits for them to be known.
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

/// A core's number; a larger one than 65536 is not meant, it would size tables.
std::int32_t CoreOf(const Record& record);

/// A version without the brackets of a commit that is unknown: "2.29.41 ()" is "2.29.41".
std::string WithoutEmptyCommit(std::string version);

/// The queue without the number of its DMA engine: "qSyncSpillReload0-Q1-E0" is
/// "qSyncSpillReload0-Q1".
std::string_view QueueOf(std::string_view name);

/// Instructions as kernels, packets as copies, collectives as kernels, each on a named stream, and
/// layers as ranges: for timeline and idle time, as of every device. REQUIRES: times from 0 on.
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
