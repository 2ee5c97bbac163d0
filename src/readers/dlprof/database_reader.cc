#include <fmt/format.h>

#include "base/errors.h"
#include "readers/database/sqlite_table.h"
#include "readers/dlprof/database.h"
#include "readers/dlprof/database_facts.h"
#include "readers/dlprof/database_rows.h"
#include "readers/dlprof/database_sums.h"
#include "readers/dlprof/dlprof_reader.h"

namespace profgauge::readers {
namespace {

constexpr std::string_view kDatabaseFormat = "dlprof_database";

Error MissingTable(const std::string& file, std::string_view table) {
  return InputError(file, "dlprof/missing-table",
                    fmt::format("the DLProf database has no table `{}`", table),
                    "DLProf was probably stopped while it wrote; run it again");
}

class DatabaseReader final : public Reader {
 public:
  std::string_view name() const override { return kDatabaseFormat; }
  std::string_view expected() const override { return "DLProf's database"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".sqlite"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte>) const override { return Match::kNo; }
  Match SniffTables(const std::set<std::string>& tables) const override {
    return tables.contains("dictionary") && tables.contains("db_version") ? Match::kYes
                                                                          : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    PROFGAUGE_TRY(auto database, OpenDatabase(source, kDatabaseFormat, "SQLite", builder));
    for (const char* table : {"read_only_ops", "model_summary"}) {
      PROFGAUGE_TRY(const bool found, database.HasTable(table));
      if (!found) return Fail(MissingTable(source.name(), table));
    }
    dlprof::DatabaseImport import;
    import.database = &database;
    import.builder = &builder;
    PROFGAUGE_CHECK(dlprof::ReadDatabaseFacts(import, options.aggregation));
    builder.source().dialect = fmt::format("DLProf {}, SQLite", import.version);
    PROFGAUGE_CHECK(dlprof::ReadDatabaseRows(import));
    PROFGAUGE_CHECK(dlprof::StateAggregation(import));
    PROFGAUGE_CHECK(dlprof::CheckSums(import));
    return builder.Finish();
  }
};

}  // namespace

std::unique_ptr<Reader> MakeDlprofDatabaseReader() { return std::make_unique<DatabaseReader>(); }

}  // namespace profgauge::readers
