#include "cli/redacted_rows.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "report/code_names.h"
#include "report/redact.h"

namespace profgauge::cli {
namespace {

/// Shared by all rows of a run, which may be read simultaneously.
class Hiding {
 public:
  Hiding(const report::Redaction& redaction, std::span<const Profile> ranks)
      : level_(redaction.level), code_(KeyOf(redaction, ranks)) {
    if (level_ < report::RedactLevel::kCode) return;
    for (const Profile& rank : ranks) {
      for (const auto& gpu : rank.gpus) code_.LearnWhole(gpu.name);
      for (std::uint32_t i = 0; i < rank.strings.size(); ++i) {
        code_.Learn(rank.strings[StringId{i}]);
      }
    }
  }

  std::string Hidden(std::string_view text, report::NameKind of) {
    std::string hidden(text);
    if (level_ >= report::RedactLevel::kCode) {
      const std::scoped_lock lock(mutex_);
      hidden = code_.Hide(hidden, of);
    }
    hidden = report::WithoutFolders(hidden);
    return level_ == report::RedactLevel::kAll ? report::WithoutShapes(hidden) : hidden;
  }

 private:
  static std::string KeyOf(const report::Redaction& redaction, std::span<const Profile> ranks) {
    std::vector<std::string> hashes;
    for (const Profile& rank : ranks) hashes.push_back(rank.source.hash);
    return report::KeyOf(redaction, hashes);
  }

  report::RedactLevel level_;
  report::CodeNames code_;
  std::mutex mutex_;
};

class RedactedRows : public query::Rows {
 public:
  RedactedRows(std::shared_ptr<const query::Rows> rows, std::shared_ptr<Hiding> hiding,
               report::NameKind of)
      : rows_(std::move(rows)), hiding_(std::move(hiding)), of_(of) {}
  std::size_t size() const override { return rows_->size(); }
  Cell At(std::size_t row, std::size_t column) const override {
    Cell cell = rows_->At(row, column);
    const bool is_text =
        std::holds_alternative<std::string_view>(cell) || std::holds_alternative<std::string>(cell);
    return is_text ? Cell(hiding_->Hidden(profgauge::TextOf(cell), of_)) : cell;
  }

 private:
  std::shared_ptr<const query::Rows> rows_;
  std::shared_ptr<Hiding> hiding_;
  report::NameKind of_;
};

report::NameKind KindOf(std::string_view table) {
  if (table == "python_events") return report::NameKind::kFunction;
  return table == "device_events" ? report::NameKind::kKernel : report::NameKind::kName;
}

}  // namespace

void RedactRows(const report::Redaction& redaction, const std::string& run,
                std::span<const Profile> ranks, query::Dataset& data) {
  if (!redaction) return;
  const auto hiding = std::make_shared<Hiding>(redaction, ranks);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const query::RelationInfo& table = query::Schema()[i];
    if (table.origin != query::Origin::kEvents && table.name != "facts") continue;
    for (query::Part& part : data[i].parts) {
      if (part.run != run) continue;
      part.rows = std::make_shared<RedactedRows>(part.rows, hiding, KindOf(table.name));
    }
  }
}

}  // namespace profgauge::cli
