// The records of one rocprofv3 file, made into rows of the model as they are read.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers::rocprofv3 {

/// Everything is named by ids; what they mean stands before the records that use them.
class Records final : public JsonRowReceiver {
 public:
  explicit Records(ProfileBuilder& builder) : builder_(builder) {}

  bool Wants(std::string_view list) override;
  void Receive(std::string_view list, const JsonRow& row) override;
  void ReceiveScalar(const JsonField& field) override;
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

  void BeginProcess(std::string_view pid);
  void AddAgent(const JsonRow& row);
  void AddSymbol(const JsonRow& row);
  void AddKind(const JsonRow& row);
  void AddKernel(const JsonRow& row);
  void AddCopy(const JsonRow& row);
  void AddCall(const JsonRow& row, bool rccl);
  void AddMarker(const JsonRow& row);

  std::optional<Times> TimesOf(const JsonRow& row);
  std::int64_t CorrelationOf(const JsonRow& row) const;
  ThreadId ThreadOf(const JsonRow& row);
  /// The name of the record's operation; "NAME 3" of its list when the file does not name it.
  std::string_view OperationOf(const JsonRow& row) const;
  Agent* AgentOf(const JsonRow& row, std::string_view path);
  LaunchConfigId ConfigOf(const JsonRow& row, const Gpu* gpu, const Symbol* symbol);

  ProfileBuilder& builder_;
  boost::unordered_flat_map<std::int64_t, Agent> agents_;
  boost::unordered_flat_map<std::int64_t, Symbol> symbols_;
  boost::unordered_flat_map<std::int64_t, std::string> messages_;  ///< roctx texts.
  std::vector<Kind> kinds_;
  std::string process_;
  std::int64_t process_number_ = -1;
};

}  // namespace profgauge::readers::rocprofv3
