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

constexpr std::string_view kKnown[] = {"# run|id|time|branch|commit_id|snapshot|model|verdict",
                                       "# level|id|run|name|reason|owner|until|time|by",
                                       "# sqlite_sequence|name|seq", "# other|id",
                                       "history:main~2"};

/// As gate/history.cc makes it.
constexpr const char* kOurs =
    "create table run (id integer primary key autoincrement, time integer not null,"
    "  branch text not null, commit_id text not null, snapshot text not null,"
    "  model text not null default '', verdict text not null default '',"
    "  parents text not null default '', commit_time integer not null default 0,"
    "  policy text not null default '', median real not null default 0,"
    "  kind text not null default '');"
    "create table level (id integer primary key autoincrement, run integer not null,"
    "  reason text not null, owner text not null, until text not null,"
    "  time integer not null, by text not null, change real, up_to real);"
    "pragma application_id = 1885816937; pragma user_version = 3";

}  // namespace

PROFGAUGE_FUZZ_LINES('|', kKnown)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  auto reference = profgauge::gate::ParseHistoryReference(text.substr(0, text.find('\n')));
  fuzz::ValueOf(reference);
  // A history of ours more often than not: its marks are no grammar.
  const fuzz::MemoryDatabase database(text, size % 4 != 0 ? kOurs : "");
  auto opened = profgauge::gate::History::OpenToAdd(fuzz::kDatabaseName);
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
