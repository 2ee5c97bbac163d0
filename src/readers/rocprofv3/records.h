// The records of one rocprofv3 file, made into rows of the model.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocprofv3 {

/// Everything is named by ids. What they mean may stand before the records that use them or behind,
/// as an object's keys have no order: records whose ids mean nothing yet wait for the end of their
/// process.
class Records final : public JsonRowReceiver {
 public:
  explicit Records(ProfileBuilder& builder) : builder_(builder) {}

  bool Wants(std::string_view list) override;
  void Receive(std::string_view list, const JsonRow& row) override;
  void ReceiveScalar(const JsonField& field) override;
  void EndObject(std::string_view path) override;
  /// Adds the GPUs that did any work; all of them when none did.
  void Finish();

 private:
  struct Agent {
    Gpu gpu;
    bool used = false;
  };
  struct Symbol {
    StringId name;
    std::int32_t registers = -1;
  };
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  struct Times {
    Ns start = 0;
    Ns duration = 0;
  };
  /// What the kinds' names tell of a record.
  struct Operation {
    std::int32_t kind = -1;
    std::int32_t number = -1;
  };
  // Records as the file has them, small: all of a process may wait.
  struct Kernel {
    std::int64_t start = 0, end = 0;
    std::int64_t kernel = -1, agent = -1, stream = -1, correlation = 0, shared_memory = -1;
    std::int32_t block[3] = {0, 0, 0}, grid[3] = {0, 0, 0};  ///< 0: not told.
  };
  struct Copy {
    std::int64_t start = 0, end = 0;
    std::int64_t from = -1, to = -1, stream = -1, correlation = 0, bytes = -1;
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
  /// What of a process is known already.
  struct Known {
    bool pid = false, agents = false, symbols = false, kinds = false, messages = false;
  };
  /// Records by whether the file says what they are.
  struct Named {
    std::uint64_t all = 0, nameless = 0;
    std::string first;
  };

  void AddAgent(const JsonRow& row);
  void AddSymbol(const JsonRow& row);
  void AddKind(const JsonRow& row);
  void AddKernel(const JsonRow& row);
  void AddCopy(const JsonRow& row);
  void AddCall(const JsonRow& row, bool rccl);
  void AddMarker(const JsonRow& row);
  void Place(const Kernel& kernel);
  void Place(const Copy& copy);
  void Place(const Call& call);
  void Place(const Marker& marker);
  template <typename Record>
  void PlaceAll(std::deque<Record>& waiting);
  void EndProcess();

  std::optional<Times> TimesOf(std::int64_t start, std::int64_t end);
  std::int64_t CorrelationOf(std::int64_t id) const;
  StringId ThreadName(const JsonRow& row) { return builder_.Intern(row.Text("thread_id")); }
  ThreadId ThreadOf(StringId name);
  /// The name of the record's operation; empty when the file does not name it.
  std::string_view NameOf(Operation operation) const;
  std::string_view CountedNameOf(Operation operation);
  Agent* AgentOf(std::int64_t handle);
  LaunchConfigId ConfigOf(const Kernel& kernel, const Gpu* gpu, const Symbol* symbol);
  void TellOfNameless(const Named& named, std::string_view what);

  ProfileBuilder& builder_;
  boost::unordered_flat_map<std::int64_t, Agent> agents_;
  boost::unordered_flat_map<std::int64_t, Symbol> symbols_;
  boost::unordered_flat_map<std::int64_t, std::string> messages_;  ///< roctx texts.
  std::vector<Kind> kinds_;
  Known known_;
  std::deque<Kernel> kernels_;  ///< Those that wait.
  std::deque<Copy> copies_;
  std::deque<Call> calls_;
  std::deque<Marker> markers_;
  Named named_kernels_, named_operations_;
  std::string process_;
  std::int64_t process_number_ = 0;
  std::uint64_t dispatches_ = 0, counted_ = 0;  ///< Kernels, and those whose counters were read.
};

}  // namespace profgauge::readers::rocprofv3
