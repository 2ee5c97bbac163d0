#include "readers/database/copy_tables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/sqlite.h"
#include "readers/database/sqlite_table.h"

namespace profgauge::readers {
namespace {

namespace fs = std::filesystem;

Error OutputError(const std::string& path, std::string code, std::string message,
                  const std::string& help) {
  Error error;
  error.kind = ErrorKind::kOutput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = path;
  if (!help.empty()) error.notes = {"help: " + help};
  return error;
}

/// The unfinished copy, a file beside the target. It is removed unless it was put in place.
class Partial {
 public:
  explicit Partial(const std::string& target)
      : target_(target), path_(fmt::format("{}.partial-{}", target, ::getpid())) {}
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  ~Partial() {
    std::error_code ignored;
    for (const char* suffix : {"", "-journal"}) fs::remove(path_ + suffix, ignored);
  }
  const std::string& path() const { return path_; }

  /// Uses a hard link because, unlike a rename, it never replaces an existing file.
  Status PutInPlace() const {
    std::error_code failed;
    fs::create_hard_link(path_, target_, failed);
    if (failed == std::errc::file_exists) return Fail(Exists(target_));
    if (failed) fs::copy_file(path_, target_, fs::copy_options::none, failed);
    if (!failed) return {};
    return Fail(
        OutputError(target_, "output/cannot-write", "cannot write: " + failed.message(), ""));
  }
  static Error Exists(const std::string& target) {
    return OutputError(target, "output/exists", "the file exists already",
                       "name a new file; scrub overwrites nothing");
  }

 private:
  std::string target_, path_;
};

std::string Quoted(std::string_view name) { return fmt::format("\"{}\"", name); }

class Copier {
 public:
  Copier(sqlite::Database& out, std::set<std::string> tables, const KeptDatabase& keep)
      : out_(out), tables_(std::move(tables)), keep_(keep) {}

  Result<Scrubbed> Run() {
    for (const KeptTable& kept : keep_.tables) {
      if (tables_.contains(kept.table)) PROFGAUGE_CHECK(Copy(kept));
    }
    for (const KeptTexts& texts : keep_.texts) PROFGAUGE_CHECK(CopyTexts(texts));
    done_.tables_left_out = static_cast<std::int64_t>(tables_.size()) - done_.tables_kept;
    return done_;
  }

 private:
  Result<std::set<std::string>> ColumnsOf(std::string_view table) {
    PROFGAUGE_TRY(auto statement,
                  out_.Prepare(fmt::format("pragma source.table_info(\"{}\")", table)));
    std::set<std::string> columns;
    while (true) {
      PROFGAUGE_TRY(const bool more, statement.Step());
      if (!more) return columns;
      columns.emplace(statement.Text(1));
    }
  }

  // A table with none of the kept columns is left out. Rowids and indices are not copied.
  Status Copy(const KeptTable& kept) {
    PROFGAUGE_TRY(const std::set<std::string> there, ColumnsOf(kept.table));
    std::string list;
    for (const std::string_view column : kept.columns) {
      if (!there.contains(std::string(column))) continue;
      std::string value = Quoted(column);
      const auto by = std::find_if(kept.texts.begin(), kept.texts.end(),
                                   [&](const auto& text) { return text.first == column; });
      if (by != kept.texts.end()) value = fmt::format("{}({}) as {}", by->second, value, value);
      list += (list.empty() ? "" : ", ") + value;
    }
    if (list.empty()) return {};
    PROFGAUGE_CHECK(out_.Execute(fmt::format("create table {0} as select {1} from source.{0}{2}{3}",
                                             Quoted(kept.table), list,
                                             kept.rows.empty() ? "" : " where ", kept.rows)));
    ++done_.tables_kept;
    AddUses(kept, kept.names, there, names_);
    AddUses(kept, kept.words, there, words_);
    return {};
  }

  static void AddUses(const KeptTable& kept, const std::vector<std::string_view>& columns,
                      const std::set<std::string>& there, std::string& uses) {
    for (const std::string_view column : columns) {
      if (!there.contains(std::string(column))) continue;
      uses += fmt::format("{}select {} from {}", uses.empty() ? "" : " union ", Quoted(column),
                          Quoted(kept.table));
    }
  }

  // Copies only texts that kept rows use. A text used as word and as name counts as a word.
  Status CopyTexts(const KeptTexts& texts) {
    if (!tables_.contains(texts.table)) return {};
    ++done_.tables_kept;
    const auto in = [](const std::string& uses) { return uses.empty() ? "select null" : uses; };
    return out_.Execute(fmt::format(
        "create table {0} as select {1}, case when {1} in ({3}) then word({2}) else "
        "name({2}) end as {2} from source.{0} where {1} in ({3}) or {1} in ({4})",
        Quoted(texts.table), Quoted(texts.id), Quoted(texts.text), in(words_), in(names_)));
  }

  sqlite::Database& out_;
  std::set<std::string> tables_;
  const KeptDatabase& keep_;
  std::string names_, words_;
  Scrubbed done_;
};

Status AddFunctions(sqlite::Database& database, const KeptDatabase& keep, const Rename& rename,
                    std::int64_t& changed) {
  const auto counted = [&changed](auto make) {
    return [&changed, make](std::string_view text) {
      std::string made = make(text);
      changed += made == text ? 0 : 1;
      return made;
    };
  };
  PROFGAUGE_CHECK(database.AddTextFunction("word", counted(WithoutPaths)));
  PROFGAUGE_CHECK(database.AddTextFunction(
      "name", counted([&rename](std::string_view text) { return CopiedName(text, rename); })));
  for (const auto& [name, make] : keep.functions) {
    PROFGAUGE_CHECK(database.AddTextFunction(name.c_str(), make));
  }
  return {};
}

}  // namespace

Status CheckIsNew(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) return Fail(Partial::Exists(path));
  return {};
}

Result<Scrubbed> CopyTables(const std::string& in, const std::string& out, const KeptDatabase& keep,
                            const Rename& rename) {
  PROFGAUGE_CHECK(CheckIsNew(out));
  const Partial partial(out);
  Scrubbed done;
  std::int64_t changed = 0;
  {
    PROFGAUGE_TRY(auto source,
                  sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
    PROFGAUGE_TRY(std::set<std::string> tables, TableNames(source));
    PROFGAUGE_TRY(auto database, sqlite::Database::Open(partial.path(), sqlite::Mode::kReadWrite,
                                                        ErrorKind::kOutput));
    PROFGAUGE_CHECK(database.AttachImmutable(in, "source"));
    Copier copier(database, std::move(tables), keep);
    PROFGAUGE_CHECK(AddFunctions(database, keep, rename, changed));
    PROFGAUGE_CHECK(database.Execute("pragma main.journal_mode = off; begin"));
    PROFGAUGE_TRY(done, copier.Run());
    PROFGAUGE_CHECK(database.Execute("commit"));
  }
  done.texts_changed = changed;
  PROFGAUGE_CHECK(partial.PutInPlace());
  return done;
}

}  // namespace profgauge::readers
