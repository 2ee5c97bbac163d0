// Takes names of rows and of the file out of one rule, so that what is compiled names only metrics,
// columns and names of its own.
//
//     let         slow: kernel.time * 2                 a name of rows
//     value       sum(slow) / profile.kernel_time
//     lowered     sum((kernel.time * 2)) / profile.kernel_time
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "expr/parser.h"
#include "rules/rule_decode.h"
#include "rules/rule_schema.h"
#include "rules/text_builder.h"

namespace profgauge::rules {

/// Which names are replaced by their expressions.
enum class Inline : std::uint8_t {
  kRowNames,  ///< Those of rows; the others have a value for each group.
  kAllNames,  ///< All: there is no group yet.
};

/// Fields of an expression that are outside of aggregates, then all.
struct NamedFields {
  std::vector<std::string> free, all;
};
NamedFields FieldsOf(const std::string& text);

/// For one rule, which it changes in place; `file_let` must outlive it. Mistakes go to `errors`,
/// and the part that has one stays as it was written.
///
///   AddDefinitions()  words, names of the file, and those of the rule: later ones win
///   Expand()          each expression: a name of rows is replaced by its text; others only where
///                     there is no group yet (Inline)
///   TakeNames()       the names that are used, each after those that it uses
class Lowering {
 public:
  Lowering(const std::vector<RuleLet>& file_let, Rule& rule, Errors& errors)
      : file_let_(file_let), rule_(rule), errors_(errors) {
    Errors ignored;  // Compiling reports them again.
    schema_ = BuildRuleSchema(rule, ignored);
  }

  /// Once.
  void Run();

 private:
  /// One name of `let`. kBusy while its own expression is expanded: to meet it then is a circle.
  struct Definition {
    RuleLet let;
    bool is_own = false;  ///< A name of the rule.
    enum class State : std::uint8_t { kNew, kBusy, kReady } state = State::kNew;
    bool is_row = false, is_used = false, is_given = false;
    SourceText expanded;
    std::optional<SourceText> inlined;  ///< Without any name.
  };

  void Add(const Where& where, std::string code, std::string message) {
    errors_.push_back({ErrorKind::kConfig, std::move(code), std::move(message), where, {}});
  }

  // Names.

  /// Errors: of a name that the file and the rule have.
  void AddDefinitions();
  /// nullptr where it is no name of `let`.
  Definition* Find(std::string_view name);
  /// Whether the field has a value in each row, and not one for all.
  bool IsRowField(const std::string& name);

  /// Expands its own expression. False: it is being expanded just now.
  bool Prepare(Definition& definition);

  /// Names of rows that name others twice grow by powers.
  SourceText Bounded(SourceText text, const RuleLet& let);
  /// Leaves in the rule the names that it uses, after those that they use.
  void TakeNames();

  /// Adds a name to the rule, after those that it uses.
  void Give(Definition& definition);

  // Expressions.

  void Replace(std::optional<SourceText>& source, Inline mode = Inline::kRowNames) {
    if (source) source = Expand(*source, mode);
  }

  /// The expression with all in place that it names. Places of errors stay those of the source.
  SourceText Expand(const SourceText& source, Inline mode = Inline::kRowNames);
  /// A quick look: most expressions have only fields.
  bool NamesAnything(const std::vector<expr::Token>& tokens);

  /// Tokens [begin, end). `copied`: how far the text is in `out` already.
  void ExpandRange(const SourceText& source, const std::vector<expr::Token>& tokens,
                   std::size_t begin, std::size_t end, Inline mode, std::size_t& copied,
                   TextBuilder& out);

  /// The replacement of a word; nothing: itself.
  std::optional<SourceText> WordOf(const std::string& word, Inline mode);

  /// `per_iteration(x)` at token `i`; gives the token of its `)`.
  std::size_t PerIteration(const SourceText& source, const std::vector<expr::Token>& tokens,
                           std::size_t i, Inline mode, std::size_t& copied, TextBuilder& out);

  /// The iterations and devices (of host work: ranks) over which `argument` adds up.
  std::string DivisorOf(const std::string& argument, const Where& where);

  /// Whether each row belongs to one `enclosing`, or is it.
  bool HasRow(std::string_view enclosing) const;
  /// Whether the groups of the rule are by it.
  bool HasKey(std::string_view enclosing) const;

  // Parts of the rule.

  /// Shown in percent where a limit is written in percent.
  void Metric(RuleMetric& metric);

  /// Conditions of scenarios select events, so that no name stays in them.
  void Gain(RuleGain& gain);
  void Items(std::vector<TextItem>& items);

  /// A message: each hole is an expression, up to its format behind `|`.
  SourceText Text(const SourceText& source);
  void Evidence(RuleEvidence& evidence);

  /// `kernel.calls` and `per_iteration(kernel.calls)` have the head and style of their column.
  void NameColumn(EvidenceColumn& column);

  const std::vector<RuleLet>& file_let_;
  Rule& rule_;
  Errors& errors_;
  RuleSchema schema_;
  std::vector<Definition> definitions_;
};

}  // namespace profgauge::rules
