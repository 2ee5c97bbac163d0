#include "cli/json_list.h"

#include <utility>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "profgauge/version.h"

namespace profgauge::cli {

JsonList::JsonList(std::string_view kind) {
  out_.BeginObject();
  out_.Field("schema", std::int64_t{1});
  out_.Field("kind", kind);
  out_.Field("tool", std::string("profgauge ") + kVersion);
  out_.Key("rows");
  out_.BeginArray();
}

JsonWriter& JsonList::Row() {
  if (std::exchange(in_row_, true)) out_.EndObject();
  out_.BeginObject();
  return out_;
}

std::string JsonList::Take() {
  if (in_row_) out_.EndObject();
  out_.EndArray();
  out_.EndObject();
  return out_.Take();
}

void RealOrNull(JsonWriter& out, std::string_view key, const double* value) {
  out.Key(key);
  value == nullptr ? out.Null() : out.Real(*value);
}

Result<int> PrintList(const Options& options, const std::string& text, JsonList list,
                      Console& console) {
  if (options.outputs[OutputKind::kJson] != "-") console.Print(text);
  if (options.outputs[OutputKind::kJson].empty()) return kExitPass;
  Outputs outputs(KeptBy(options));
  PROFGAUGE_TRY(const std::size_t output,
                outputs.Open(options.outputs[OutputKind::kJson], FileKind::kForPeople));
  PROFGAUGE_CHECK(outputs.Commit(output, list.Take()));
  return kExitPass;
}

}  // namespace profgauge::cli
