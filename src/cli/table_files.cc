#include "cli/table_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/errors.h"
#include "cli/rows/row_writer.h"
#include "exports/tables/parquet.h"
#include "exports/tables/sqlite_tables.h"
#include "render/shared/columns.h"

namespace profgauge::cli {
namespace {

constexpr std::size_t kBytesAtOnce = 4 << 20;

// RunColumn() and the columns of the table, in the type of this writer.
template <class Column>
std::vector<Column> ColumnsWithRun(std::size_t table) {
  std::vector<Column> columns = {{RunColumn().name, RunColumn().unit}};
  for (const query::ColumnInfo& column : query::Schema()[table].columns) {
    columns.push_back({column.name, column.unit});
  }
  return columns;
}

/// A folder with a file per table, and schema.json. All files are opened before the first row, and
/// Finish() renames each, so a failed export leaves the files of the last one. A table without rows
/// has no file; an earlier export's file is removed.
class FolderFiles : public TableFiles {
 public:
  explicit FolderFiles(Outputs& outputs) : outputs_(outputs) {}

  Status Open(const std::string& folder, const std::string& suffix, const query::Places& tables) {
    suffix_ = suffix;
    PROFGAUGE_CHECK(outputs_.MakeDirectory(folder));
    for (const std::size_t table : tables) {
      PROFGAUGE_TRY(files_[table],
                    outputs_.Open(folder + "/" + FileOf(table), FileKind::kForPeople));
    }
    PROFGAUGE_TRY(schema_, outputs_.Open(folder + "/schema.json", FileKind::kForPeople));
    return {};
  }
  std::string FileOf(std::size_t table) const override {
    return query::Schema()[table].name + suffix_;
  }

 protected:
  /// Commits each file. `rest` returns the file's last bytes.
  template <class Rest>
  Status FinishFiles(const std::string& schema, const query::Places& asked, const Rest& rest) {
    for (const auto& [table, file] : files_) {
      if (!with_rows_.contains(table) && !asked.contains(table)) {
        outputs_.RemoveEarlier(file);
        continue;
      }
      PROFGAUGE_TRY(const std::string bytes, rest(table));
      PROFGAUGE_CHECK(outputs_.Commit(file, bytes));
    }
    return outputs_.Commit(schema_, schema);
  }

  Outputs& outputs_;
  std::string suffix_;
  std::map<std::size_t, std::size_t> files_;  // By table.
  query::Places with_rows_;
  std::size_t schema_ = 0;
};

// One RowWriter per table. Its bytes are written whenever kBytesAtOnce are ready.
class TextFiles : public FolderFiles {
 public:
  TextFiles(Outputs& outputs, RowFormat format) : FolderFiles(outputs), format_(format) {}

  Status Add(std::size_t table, const query::Part& part) override {
    RowWriter& writer = WriterOf(table);
    const std::size_t columns = query::Schema()[table].columns.size();
    if (part.rows->size() > 0) with_rows_.insert(table);
    for (std::size_t row = 0; row < part.rows->size(); ++row) {
      writer.Add(RowOf(*part.rows, row, columns));
      if (writer.ready() >= kBytesAtOnce) PROFGAUGE_CHECK(Write(table, writer.Take()));
    }
    return {};
  }

  Status Finish(const std::string& schema, const query::Places& asked) override {
    return FinishFiles(schema, asked, [this](std::size_t table) -> Result<std::string> {
      RowWriter& writer = WriterOf(table);
      writer.Finish(false, {});
      return writer.Take();
    });
  }

 private:
  RowWriter& WriterOf(std::size_t table) {
    auto& writer = writers_[table];
    if (writer == nullptr) writer = MakeRowWriter(ColumnsWithRun<RowColumn>(table), {format_, {}});
    return *writer;
  }
  Status Write(std::size_t table, const std::string& text) {
    return outputs_.Write(files_.at(table), text);
  }

  RowFormat format_;
  std::map<std::size_t, std::unique_ptr<RowWriter>> writers_;
};

// Parquet files. A row group, Parquet's unit, is built in memory, written, and freed. The units of
// columns are key-value metadata, "unit.COLUMN".
class ParquetFiles : public FolderFiles {
 public:
  using FolderFiles::FolderFiles;

  Status Add(std::size_t table, const query::Part& part) override {
    exports::ParquetWriter& writer = WriterOf(table);
    const std::size_t rows = part.rows->size();
    if (rows > 0) with_rows_.insert(table);
    for (std::size_t from = 0; from < rows; from += exports::ParquetWriter::kMostRows) {
      writer.AddGroup(std::min(exports::ParquetWriter::kMostRows, rows - from),
                      [&](std::size_t row, std::size_t column) {
                        return column == 0 ? Cell(std::string_view(run_))
                                           : part.rows->At(from + row, column - 1);
                      });
      PROFGAUGE_CHECK(outputs_.Write(files_.at(table), writer.Take()));
    }
    return {};
  }

  Status Finish(const std::string& schema, const query::Places& asked) override {
    return FinishFiles(schema, asked, [this](std::size_t table) -> Result<std::string> {
      exports::ParquetWriter& writer = WriterOf(table);
      writer.Finish();
      return writer.Take();
    });
  }

 private:
  exports::ParquetWriter& WriterOf(std::size_t table) {
    auto& writer = writers_[table];
    if (writer == nullptr) {
      std::vector<exports::ParquetColumn> columns = ColumnsWithRun<exports::ParquetColumn>(table);
      std::vector<std::pair<std::string, std::string>> units;
      for (const exports::ParquetColumn& column : columns) {
        units.emplace_back("unit." + column.name, UnitName(column.unit));
      }
      writer = std::make_unique<exports::ParquetWriter>(std::move(columns), std::move(units));
    }
    return *writer;
  }

  std::map<std::size_t, std::unique_ptr<exports::ParquetWriter>> writers_;
};

/// One database. The rows of each part are added in one batch.
class DatabaseFile : public TableFiles {
 public:
  explicit DatabaseFile(Outputs& outputs) : outputs_(outputs) {}

  Status Open(const std::string& path, const query::Places& tables) {
    tables_ = tables;
    PROFGAUGE_TRY(file_, outputs_.Open(path, FileKind::kTableStore));
    if (outputs_.TemporaryOf(file_).empty()) {
      return Fail(UsageError("usage/arguments", "a database is written to a file only",
                             "give a file, e.g. -o run.sqlite"));
    }
    PROFGAUGE_TRY(exports::SqliteTables opened,
                  exports::SqliteTables::Open(outputs_.TemporaryOf(file_)));
    database_ = std::make_unique<exports::SqliteTables>(std::move(opened));
    for (const std::size_t table : tables_) {
      PROFGAUGE_CHECK(database_->Create(query::Schema()[table].name, ColumnsOf(table)));
    }
    return {};
  }
  Status Add(std::size_t table, const query::Part& part) override {
    const std::vector<exports::SqliteColumn> columns = ColumnsOf(table);
    PROFGAUGE_CHECK(database_->Into(query::Schema()[table].name, columns));
    for (std::size_t row = 0; row < part.rows->size(); ++row) {
      PROFGAUGE_CHECK(database_->Add(RowOf(*part.rows, row, columns.size() - 1)));
    }
    return {};
  }
  Status Finish(const std::string&, const query::Places&) override {
    for (const std::size_t table : tables_) {
      PROFGAUGE_CHECK(database_->Index(query::Schema()[table].name, ColumnsOf(table)));
    }
    PROFGAUGE_CHECK(database_->Finish());
    database_.reset();
    return outputs_.Commit(file_, "");
  }
  std::string FileOf(std::size_t) const override { return {}; }

 private:
  static std::vector<exports::SqliteColumn> ColumnsOf(std::size_t table) {
    return ColumnsWithRun<exports::SqliteColumn>(table);
  }

  Outputs& outputs_;
  query::Places tables_;
  std::size_t file_ = 0;
  std::unique_ptr<exports::SqliteTables> database_;
};

}  // namespace

const query::ColumnInfo& RunColumn() {
  static const query::ColumnInfo kRun = {
      "run", "run", Unit::kText, "Run", "The profile: the column `run` of `--write row`.", true};
  return kRun;
}

std::vector<Cell> TableFiles::RowOf(const query::Rows& rows, std::size_t row,
                                    std::size_t columns) const {
  std::vector<Cell> cells = {std::string_view(run_)};
  cells.reserve(columns + 1);
  for (std::size_t i = 0; i < columns; ++i) cells.push_back(rows.At(row, i));
  return cells;
}

Result<std::unique_ptr<TableFiles>> OpenTableFiles(const Options& options,
                                                   const query::Places& tables, Outputs& outputs) {
  if (options.format == "sqlite") {
    auto file = std::make_unique<DatabaseFile>(outputs);
    PROFGAUGE_CHECK(file->Open(options.out_dir, tables));
    return file;
  }
  if (options.format == "parquet") {
    auto files = std::make_unique<ParquetFiles>(outputs);
    PROFGAUGE_CHECK(files->Open(options.out_dir, ".parquet", tables));
    return files;
  }
  auto files = std::make_unique<TextFiles>(outputs, *FindRowFormat(options.format));
  PROFGAUGE_CHECK(files->Open(options.out_dir, "." + options.format, tables));
  return files;
}

}  // namespace profgauge::cli
