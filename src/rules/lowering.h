// Lowers a rule: replaces `let` names with a value per row, and names of the file, by their
// expressions. The result has only metrics, columns and the rule's own names.
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
  kRowNames,  ///< Names of rows; other names have one value per group.
  kAllNames,  ///< All names, because there is no group yet.
};

/// The fields of an expression: those outside of aggregates, and all of them.
struct NamedFields {
  std::vector<std::string> free, all;
};
NamedFields FieldsOf(const std::string& text);

/// Lowers one rule in place; `file_let` must outlive it. Mistakes go to `errors`, and parts with
/// mistakes stay unchanged. The steps:
///
///   AddDefinitions()  words, then names of the file, then those of the rule; later ones win
///   Expand()          each expression: names of rows are replaced by their text, and others if
///                     there is no group yet (Inline)
///   TakeNames()       keeps the used names, each after those that it uses
class Lowering {
 public:
  Lowering(const std::vector<RuleLet>& file_let, Rule& rule, Errors& errors)
      : file_let_(file_let), rule_(rule), errors_(errors) {
    Errors ignored;  // Compiling reports them again.
    schema_ = BuildRuleSchema(rule, ignored);
  }

  /// Lowers the rule; called once.
  void Run();

 private:
  /// A name of `let`. kBusy while its own expression is expanded; finding it then means a cycle.
  struct Definition {
    RuleLet let;
    bool is_own = false;  ///< True if it is a name of the rule, not of the file.
    enum class State : std::uint8_t { kNew, kBusy, kReady } state = State::kNew;
    bool is_row = false, is_used = false, is_given = false;
    SourceText expanded;
    std::optional<SourceText> inlined;  ///< Without any name of `let`.
  };

  void Add(const Where& where, std::string code, std::string message) {
    errors_.push_back({ErrorKind::kConfig, std::move(code), std::move(message), where, {}});
  }

  // Functions for names.

  /// Adds all definitions. Adds an error if the file and the rule both define a name.
  void AddDefinitions();
  /// The definition of a name; nullptr if it is not a `let` name.
  Definition* Find(std::string_view name);
  /// True if the field has a value in each row instead of one for all rows.
  bool IsRowField(const std::string& name);

  /// Expands the definition's expression. False if it is already being expanded (a cycle).
  bool Prepare(Definition& definition);

  /// Limits the length of a text, because names that use others twice grow exponentially.
  SourceText Bounded(SourceText text, const RuleLet& let);
  /// Keeps only the names that the rule uses, each after those that it uses.
  void TakeNames();

  /// Adds a name to the rule, after the names that it uses.
  void Give(Definition& definition);

  // Functions for expressions.

  void Replace(std::optional<SourceText>& source, Inline mode = Inline::kRowNames) {
    if (source) source = Expand(*source, mode);
  }

  /// Expands all names in an expression. Errors keep their places in the source.
  SourceText Expand(const SourceText& source, Inline mode = Inline::kRowNames);
  /// True if any token may be a name to replace. Quick, because most expressions have only fields.
  bool NamesAnything(const std::vector<expr::Token>& tokens);

  /// Expands tokens [begin, end). `copied` is the end of the text that `out` already has.
  void ExpandRange(const SourceText& source, const std::vector<expr::Token>& tokens,
                   std::size_t begin, std::size_t end, Inline mode, std::size_t& copied,
                   TextBuilder& out);

  /// The replacement of a word; nothing if the word stays.
  std::optional<SourceText> WordOf(const std::string& word, Inline mode);

  /// Expands `per_iteration(x)` at token `i`; returns the token of its `)`.
  std::size_t PerIteration(const SourceText& source, const std::vector<expr::Token>& tokens,
                           std::size_t i, Inline mode, std::size_t& copied, TextBuilder& out);

  /// The divisor of `per_iteration`: iterations times devices (for host work: ranks) of `argument`.
  std::string DivisorOf(const std::string& argument, const Where& where);

  /// True if each row of the rule belongs to one row of `enclosing`, or is one.
  bool HasRow(std::string_view enclosing) const;
  /// True if the rule groups by rows of `enclosing`.
  bool HasKey(std::string_view enclosing) const;

  // Functions for parts of the rule.

  /// Shows the metric in percent if a limit is in percent.
  void Metric(RuleMetric& metric);

  /// Expands all names of a scenario, because its conditions select events, which have no names.
  void Gain(RuleGain& gain);
  void Items(std::vector<TextItem>& items);

  /// Expands a message: each hole is an expression up to the format after `|`.
  SourceText Text(const SourceText& source);
  void Evidence(RuleEvidence& evidence);

  /// Gives a column such as `per_iteration(kernel.calls)` the head and the style of `kernel.calls`.
  void NameColumn(EvidenceColumn& column);

  const std::vector<RuleLet>& file_let_;
  Rule& rule_;
  Errors& errors_;
  RuleSchema schema_;
  std::vector<Definition> definitions_;
};

}  // namespace profgauge::rules
