// Names of `let`: words, of the file and of the rule, each expanded once, in the order in which
// they use each other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "expr/parser.h"
#include "rules/lowering.h"

namespace profgauge::rules {
namespace {

constexpr std::size_t kLongestName = 10'000;

}  // namespace

void Lowering::AddDefinitions() {
  for (const RuleLet& let : BuiltinWords()) definitions_.emplace_back().let = let;
  for (const RuleLet& let : file_let_) definitions_.emplace_back().let = let;
  for (const RuleLet& let : rule_.let) {
    const auto known = std::ranges::find(file_let_, let.name, &RuleLet::name);
    if (known != file_let_.end()) {
      Add(let.where, "rules/name",
          fmt::format("`{}` is already a name of {}:{}", let.name,
                      Printable(std::filesystem::path(known->where.file).filename().string()),
                      known->where.line));
    }
    Definition& own = definitions_.emplace_back();
    own.let = let;
    own.is_own = true;
  }
}

Lowering::Definition* Lowering::Find(std::string_view name) {
  // Names of the rule win over those of its file, and these over words.
  const auto found = std::find_if(definitions_.rbegin(), definitions_.rend(),
                                  [name](const Definition& d) { return d.let.name == name; });
  return found == definitions_.rend() ? nullptr : &*found;
}

bool Lowering::IsRowField(const std::string& name) {
  const expr::Slot slot = schema_.schema.Find(name);
  return slot != expr::Schema::kNone && schema_.schema[slot].scope == expr::Scope::kRow;
}

bool Lowering::Prepare(Definition& definition) {
  if (definition.state == Definition::State::kBusy) return false;
  if (definition.state == Definition::State::kReady) return true;
  definition.state = Definition::State::kBusy;
  definition.expanded = Bounded(Expand(definition.let.value), definition.let);
  const NamedFields fields = FieldsOf(definition.expanded.text);
  definition.is_row = std::any_of(fields.free.begin(), fields.free.end(),
                                  [this](const std::string& name) { return IsRowField(name); });
  definition.state = Definition::State::kReady;
  return true;
}

SourceText Lowering::Bounded(SourceText text, const RuleLet& let) {
  if (text.text.size() <= kLongestName) return text;
  Add(let.where, "expr/too-large",
      fmt::format("`{}` is longer than {} bytes, with the names that it uses", let.name,
                  kLongestName));
  text.text = "0";
  text.runs.resize(1);
  return text;
}

void Lowering::TakeNames() {
  for (Definition& definition : definitions_) {
    if (definition.is_own) Prepare(definition);
  }
  rule_.let.clear();
  rule_.row_names.clear();
  for (Definition& definition : definitions_) {
    if (definition.is_used || definition.is_own) Give(definition);
  }
}

void Lowering::Give(Definition& definition) {
  if (definition.is_given) return;
  definition.is_given = true;
  if (const auto tokens = expr::Tokenize(definition.expanded.text)) {
    for (const expr::Token& token : *tokens) {
      Definition* used = token.kind == expr::TokenKind::kWord ? Find(token.text) : nullptr;
      if (used != nullptr && used->state == Definition::State::kReady) Give(*used);
    }
  }
  definition.let.value = definition.expanded;
  (definition.is_row ? rule_.row_names : rule_.let).push_back(definition.let);
}

}  // namespace profgauge::rules
