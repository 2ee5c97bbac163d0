// The records of one JSON file of rocprofv3.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"
#include "readers/rocprofv3/rows.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocprofv3 {

/// Records refer to each other by ids. Because an object's keys have no order, definitions may come
/// after the records that use them: then these records wait for the end of their process.
///
///   list below "rocprofiler-sdk-tool"   becomes                 needs before it
///   agents                              GPUs
///   kernel_symbols                      names of kernels
///   strings.buffer_records              names of operations
///   strings.marker_api                  texts of roctx
///   buffer_records.kernel_dispatch      kernels                 agents, symbols
///   buffer_records.memory_copy          copies                  agents, operations
///   buffer_records.hip_api, hsa_api     calls                   the process, operations
///   buffer_records.rccl_api             ranges of collectives   the process, operations
///   buffer_records.marker_api           ranges                  the process, operations, texts
///
/// If the writer puts definitions first, nothing waits. Otherwise all small records of one process
/// are in memory.
class Records final : public JsonRowReceiver {
 public:
  explicit Records(ProfileBuilder& builder) : builder_(builder), rows_(builder) {}

  bool Wants(std::string_view list) override;
  void Receive(std::string_view list, const JsonRow& row) override;
  void ReceiveScalar(const JsonField& field) override;
  /// Handles the end of a process's entry in the list.
  void EndObject(std::string_view path) override;
  /// Places waiting records of a truncated file, then calls Rows::Finish().
  void Finish();

 private:
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  /// An operation: the number of its kind, and its number in the kind.
  struct Operation {
    std::int32_t kind = -1;
    std::int32_t number = -1;
  };
  // A record as in the file, kept small: all records of a process may have to wait.
  struct NamedCopy {
    Copy copy;
    Operation operation;
  };
  struct Call {
    std::int64_t start = 0, end = 0, correlation = 0;
    Operation operation;
    StringId thread;
    bool is_rccl = false;
  };
  struct Marker {
    std::int64_t start = 0, end = 0, message = -1;
    Operation operation;
    StringId thread;
  };
  /// Shows which definitions of the process have been read.
  struct Known {
    bool pid = false, agents = false, symbols = false, kinds = false, messages = false;
  };
  void AddAgent(const JsonRow& row);
  void AddSymbol(const JsonRow& row);
  void AddKind(const JsonRow& row);
  void AddKernel(const JsonRow& row);
  void AddCopy(const JsonRow& row);
  void AddCall(const JsonRow& row, bool rccl);
  void AddMarker(const JsonRow& row);
  void Place(const Kernel& kernel) { rows_.Add(kernel); }
  void Place(const NamedCopy& copy);
  void Place(const Call& call);
  void Place(const Marker& marker);
  template <typename Record>
  void PlaceAll(std::deque<Record>& waiting);
  void EndProcess();

  StringId ThreadName(const JsonRow& row) { return builder_.Intern(row.Text("thread_id")); }
  ThreadId ThreadOf(StringId name);
  /// The name of the record's operation; empty if the file does not have it.
  std::string_view NameOf(Operation operation) const;
  std::string_view CountedNameOf(Operation operation);

  ProfileBuilder& builder_;
  Rows rows_;
  boost::unordered_flat_map<std::int64_t, std::string> messages_;  ///< Texts of roctx.
  std::vector<Kind> kinds_;
  Known known_;
  std::deque<Kernel> kernels_;  ///< Waiting kernels.
  std::deque<NamedCopy> copies_;
  std::deque<Call> calls_;
  std::deque<Marker> markers_;
  std::string process_;
};

}  // namespace profgauge::readers::rocprofv3
