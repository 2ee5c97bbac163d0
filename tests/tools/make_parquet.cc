// Writes folders of Parquet tables of any size, for measuring how they are read. Same arguments,
// same bytes.
//
//   make_parquet neuron DIR INSTRUCTIONS   as neuron-explorer names them, long tables in parts
//   make_parquet nsys DIR EXPORT.sqlite    the tables of an export, as `nsys export --type
//   parquetdir`
//
// Pages are packed with zstd; texts and small numbers go by dictionaries.
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sqlite.h"
#include "unit/readers/parquet/parquet_writer.h"

namespace profgauge {
namespace {

using readers::testing_parquet::ParquetText;
using readers::testing_parquet::WrittenColumn;

constexpr std::size_t kPageRows = 20'000;
constexpr std::int64_t kPartRows = 200'000;

std::string Packed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return packed;
}

ParquetText NewTable() { return {6, Packed}; }

void Save(const std::string& folder, const std::string& name, const ParquetText& table) {
  std::ofstream(std::filesystem::path(folder) / (name + ".parquet"), std::ios::binary)
      << table.Whole();
}

template <class ValueOf>
void AddNumbers(ParquetText& table, std::string name, int encoding, std::int64_t first,
                std::int64_t count, ValueOf value_of) {
  WrittenColumn column{.name = std::move(name), .encoding = encoding};
  column.page_rows = kPageRows;
  for (std::int64_t i = first; i < first + count; ++i) column.numbers.emplace_back(value_of(i));
  table.Add(std::move(column));
}

template <class ValueOf>
void AddTexts(ParquetText& table, std::string name, int encoding, std::int64_t first,
              std::int64_t count, ValueOf value_of) {
  WrittenColumn column{.name = std::move(name), .type = 6, .encoding = encoding};
  column.page_rows = kPageRows;
  column.converted = 0;
  for (std::int64_t i = first; i < first + count; ++i) column.texts.emplace_back(value_of(i));
  table.Add(std::move(column));
}

/// Without order, the same everywhere.
std::int64_t Mixed(std::int64_t i, std::int64_t below) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U >> 40) %
         below;
}

constexpr int kPlain = 0, kDictionary = 8;

ParquetText Instructions(std::int64_t first, std::int64_t count) {
  const char* const engines[] = {"tensor", "vector", "scalar", "gpsimd", "sync"};
  const char* const opcodes[] = {"MATMUL", "TENSOR_TENSOR", "ACTIVATE", "TENSOR_LOAD",
                                 "EVENT_SEMAPHORE"};
  ParquetText table = NewTable();
  const auto numbers = [&](const char* name, int encoding, auto value_of) {
    AddNumbers(table, name, encoding, first, count, value_of);
  };
  const auto texts = [&](const char* name, int encoding, auto value_of) {
    AddTexts(table, name, encoding, first, count, value_of);
  };
  numbers("id", kPlain, [](std::int64_t i) { return 9'000'000'000'000'000'000 + i; });
  numbers("start_ts", kPlain, [](std::int64_t i) { return 1'000 + i * 40; });
  numbers("duration_ns", kPlain, [](std::int64_t i) { return 20 + Mixed(i, 60); });
  numbers("end_ts", kPlain, [](std::int64_t i) { return 1'020 + i * 40 + Mixed(i, 60); });
  numbers("evt_wait_time_ns", kPlain, [](std::int64_t i) { return Mixed(i + 7, 400); });
  texts("engine", kDictionary, [&](std::int64_t i) { return engines[i % 5]; });
  texts("opcode", kDictionary, [&](std::int64_t i) { return opcodes[i % 5]; });
  texts("operands", kPlain, [](std::int64_t i) {
    return "S[" + std::to_string(i % 32) + "] (qSyncIO" + std::to_string(i % 4) +
           ")>=1 src=bf16@0x" + std::to_string(Mixed(i, 1 << 20)) + "[1,0,0][128,1,1]";
  });
  numbers("pc", kPlain, [](std::int64_t i) { return Mixed(i, 1 << 20); });
  texts("hlo_name", kDictionary, [](std::int64_t i) { return "%dot." + std::to_string(i / 5000); });
  texts("layer", kDictionary,
        [](std::int64_t i) { return "Model/Layer[" + std::to_string(i / 5000) + "]/mm"; });
  texts("fully_qualified_subgraph", kDictionary, [](std::int64_t) { return "/sg00"; });
  for (const char* name :
       {"tensor_elements", "hbm_read_bytes", "hbm_write_bytes", "sbuf_read_bytes",
        "sbuf_write_bytes", "psum_read_bytes", "psum_write_bytes", "spill_save_bytes",
        "spill_reload_bytes", "input_queue_bytes", "output_queue_bytes", "weight_queue_bytes"}) {
    numbers(name, kDictionary, [](std::int64_t i) { return 4096 * (i % 7); });
  }
  numbers("pcore_idx", kDictionary, [](std::int64_t) { return 0; });
  return table;
}

ParquetText Packets(std::int64_t first, std::int64_t count) {
  ParquetText table = NewTable();
  const auto numbers = [&](const char* name, int encoding, auto value_of) {
    AddNumbers(table, name, encoding, first, count, value_of);
  };
  numbers("id", kPlain, [](std::int64_t i) { return 4'000'000'000'000'000'000 + i; });
  numbers("start_ts", kPlain, [](std::int64_t i) { return 1'000 + i * 13; });
  numbers("duration_ns", kPlain, [](std::int64_t i) { return 10 + Mixed(i, 80); });
  numbers("transfer_bytes", kDictionary, [](std::int64_t i) { return 2048 * (1 + i % 3); });
  numbers("engine_idx", kDictionary, [](std::int64_t i) { return i % 16; });
  AddTexts(table, "queue_name", kDictionary, first, count,
           [](std::int64_t i) { return "qSyncIO" + std::to_string(i % 4) + "-Q1"; });
  AddTexts(table, "queue_type", kDictionary, first, count,
           [](std::int64_t i) { return i % 2 == 0 ? "data" : "instruction"; });
  numbers("packet_idx", kPlain, [](std::int64_t i) { return i % 8; });
  numbers("packet_aggregation_id", kPlain, [](std::int64_t i) { return i / 8; });
  return table;
}

void WriteNeuron(const std::string& folder, std::int64_t instructions) {
  const auto parts = [&](const std::string& name, std::int64_t rows, auto table_of) {
    for (std::int64_t first = 0, part = 0; first < rows; first += kPartRows, ++part) {
      Save(folder, name + "_" + std::to_string(part),
           table_of(first, std::min(kPartRows, rows - first)));
    }
  };
  parts("Instruction", instructions, Instructions);
  parts("DmaPacket", instructions, Packets);
  ParquetText metadata = NewTable();
  AddTexts(metadata, "profile_schema_version", kPlain, 0, 1, [](std::int64_t) { return "7.4.0"; });
  AddTexts(metadata, "instance_type", kPlain, 0, 1, [](std::int64_t) { return "trn2.48xlarge"; });
  AddNumbers(metadata, "first_hw_timestamp", kPlain, 0, 1, [](std::int64_t) { return 1'000; });
  AddNumbers(metadata, "last_hw_timestamp", kPlain, 0, 1,
             [&](std::int64_t) { return 2'000 + instructions * 40; });
  Save(folder, "Metadata", metadata);
}

std::vector<std::string> Names(sqlite::Database& database, const std::string& sql) {
  std::vector<std::string> names;
  auto statement = database.Prepare(sql);
  while (statement) {
    const auto more = statement->Step();
    if (!more || !*more) break;
    names.emplace_back(statement->Text(0));
  }
  return names;
}

Result<WrittenColumn> ColumnOf(sqlite::Database& database, const std::string& table,
                               const std::string& name) {
  WrittenColumn column{.name = name};
  PROFGAUGE_TRY(auto rows, database.Prepare("select \"" + name + "\" from \"" + table + "\""));
  while (true) {
    PROFGAUGE_TRY(const bool more, rows.Step());
    if (!more) break;
    const bool is_text = rows.Type(0) == SQLITE_TEXT || rows.Type(0) == SQLITE_BLOB;
    if (is_text && column.type != 6) {
      column.type = 6;
      column.texts.resize(column.numbers.size());
    }
    if (column.type == 6) {
      column.texts.emplace_back(rows.IsNull(0) ? std::nullopt
                                               : std::optional(std::string(rows.Text(0))));
    } else {
      column.numbers.emplace_back(rows.IsNull(0) ? std::nullopt : std::optional(rows.Integer(0)));
    }
  }
  column.page_rows = kPageRows;
  return column;
}

Status WriteNsys(const std::string& folder, const std::string& path) {
  PROFGAUGE_TRY(auto database,
                sqlite::Database::Open(path, sqlite::Mode::kImmutable, ErrorKind::kInput));
  for (const std::string& name :
       Names(database, "select name from sqlite_master where type = 'table'")) {
    ParquetText table = NewTable();
    for (const std::string& column :
         Names(database, "select name from pragma_table_info('" + name + "')")) {
      PROFGAUGE_TRY(WrittenColumn written, ColumnOf(database, name, column));
      table.Add(std::move(written));
    }
    Save(folder, name, table);
  }
  return {};
}

}  // namespace
}  // namespace profgauge

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: make_parquet neuron DIR INSTRUCTIONS | nsys DIR EXPORT.sqlite\n";
    return 2;
  }
  const std::string kind = arguments[1], folder = arguments[2];
  std::filesystem::create_directories(folder);
  if (kind == "neuron") {
    profgauge::WriteNeuron(folder, std::atoll(arguments[3]));
    return 0;
  }
  const auto status = profgauge::WriteNsys(folder, arguments[3]);
  if (!status) std::cerr << status.error().message << '\n';
  return status ? 0 : 1;
}
