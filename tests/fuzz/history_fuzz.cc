// Histories: an SQLite database whose tables the input chooses, and the words that name runs of it.
//
// Checks: no crash; every refusal has a reason; an added run is the last one, and is read back
// unchanged.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gate/history.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"
#include "support/table_text.h"

namespace {

using namespace profgauge;

constexpr std::string_view kKnown[] = {
    "# run|id|time|branch|commit_id|model|verdict|parents|commit_time|policy|median|kind|source",
    "# snapshot|run|dictionary|hash|text",
    "# dictionary|id|text",
    "# level|id|run|reason|owner|until|time|by",
    "# other|id",
    "history:main~2"};

std::string Ours() {
  return std::string(gate::HistorySchema()) +
         "pragma application_id = 1885816937; pragma user_version = 4";
}

/// The bytes of a database of these tables.
std::string BytesOf(std::string_view text, const std::string& schema) {
  const fuzz::MemoryDatabase database(text, schema.c_str());
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database.handle(), "main", &size, 0);
  std::string copy(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return copy;
}

}  // namespace

PROFGAUGE_FUZZ_LINES('|', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  auto reference = profgauge::gate::ParseHistoryReference(text.substr(0, text.find('\n')));
  fuzz::ValueOf(reference);
  // A history of ours more often than not: its marks are no grammar.
  auto opened = profgauge::gate::History::OfBytes(BytesOf(text, size % 4 != 0 ? Ours() : ""),
                                                  fuzz::kDatabaseName);
  profgauge::gate::History* history = fuzz::ValueOf(opened);
  if (history == nullptr) return 0;
  const std::string branch = reference ? reference->branch : "";
  auto last = history->Last(branch, reference ? reference->count : 10);
  const auto* entries = fuzz::ValueOf(last);
  if (entries == nullptr || entries->empty()) return 0;
  const profgauge::gate::HistoryEntry& entry = entries->back();
  if (size % 4 == 0) return 0;
  auto added = history->Add(entry);
  if (fuzz::ValueOf(added) == nullptr) return 0;
  auto again = history->Last(entry.branch, 1);
  fuzz::Require(again && again->size() == 1, "what was added is there");
  fuzz::Require(profgauge::gate::WriteBaseline({again->front().snapshot}) ==
                    profgauge::gate::WriteBaseline({entry.snapshot}),
                "what was added comes back as it was");
  if (const auto removed = history->Remove({*added}); !removed)
    fuzz::RequireReason(removed.error());
  return 0;
}
