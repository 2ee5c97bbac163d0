// A rule as decoded from YAML: a problem, how it is measured, and the advice.
//
// Plain data: expressions are text with places in the file (SourceText), which the evaluator
// compiles and checks. rules/README.md documents the keys.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/literal.h"
#include "base/units.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// The format of a number. kAuto: by its unit.
struct ShowAs {
  enum class Kind : std::uint8_t { kAuto, kDuration, kBytes, kPercent, kNumber };
  Kind kind = Kind::kAuto;
  int decimals = -1;  ///< Only for kNumber, 0..9; -1: three significant digits.
};

/// A number of the rule that a policy may override.
struct RuleParam {
  std::string name;       ///< Used as `$name`.
  Literal default_value;  ///< It defines the parameter's unit.
  std::string doc;
  Where where;
  std::vector<std::string> formerly;  ///< Former names.
};

/// A name of `let` with its expression, in file order. It may use earlier names.
struct RuleLet {
  std::string name;
  Where where;  ///< Location of the name.
  SourceText value;
  std::string values_of = {};  ///< Column or fact whose values it has; empty: any.
};

/// The measured number and its limits. A limit is a literal or a `$param`.
struct RuleMetric {
  std::string is;                ///< Noun phrase for the number.
  std::optional<SourceText> of;  ///< Its owner, if there are several: "rank 3", with holes.
  SourceText value;
  ShowAs show_as;
  std::optional<SourceText> warn_above, error_above, warn_below, error_below;
};

enum class GainBound : std::uint8_t { kUpper, kTypical, kMeasured };
std::string_view GainBoundName(GainBound bound);  ///< "upper", "typical", "measured"

/// The estimated saving per iteration. It is only for display and order, never for the verdict.
struct RuleGain {
  SourceText value;  ///< The time that the finding concerns.
  /// An upper bound of the saving if it is less than `value`, e.g. the time that could overlap.
  std::optional<SourceText> at_most;
  GainBound bound = GainBound::kUpper;
  std::string why;
  std::vector<WhatIfScale> scenario;  ///< Changes to simulate; empty: only `value`.
  std::string measured;               ///< Experience on one device, for `rules explain`.
  bool without_waiting = false;  ///< The selected work waits for no rank either, if that is known.
  bool keeps_up = false;     ///< The rank of a selected collective arrives with the second to last.
  bool host_reacts = false;  ///< The host's other work may become slower, so the saving is a range.
};

struct EvidenceColumn {
  std::string head;
  SourceText value;
  ShowAs show_as;
  bool is_code = false;  ///< `style: code`
};

struct RuleEvidence {
  std::optional<SourceText> order_by;  ///< "expr", "expr asc" or "expr desc".
  int limit = 15;                      ///< Rows in the report, 1..1000; exports get all of them.
  std::vector<EvidenceColumn> columns;
};

/// A sentence of a message, a point of advice, or a list of such items.
struct TextItem {
  std::optional<SourceText> when;  ///< Shown only if this is true; absent counts as false.
  SourceText text;                 ///< With `{{ expr | filter }}` holes; empty for a list.
  std::vector<TextItem> items;     ///< The list: all items whose condition is true.
  bool is_case = false;            ///< In the list, only the first whose condition is true.
};
/// All texts of `items` with their conditions as one text, for `rules explain` and `rules docs`.
std::string TextOf(const std::vector<TextItem>& items);

/// Which groups become findings: each group, or only the worst.
enum class GroupReport : std::uint8_t { kWorst, kEach };

/// A decoded rule, with names of rows replaced by their expressions. If `is_whole` is false, it is
/// kept only to find more errors.
struct Rule {
  std::string id;  ///< "namespace/id"; never changes.
  std::string title, category;
  std::vector<std::string> formerly;  ///< Former full ids.
  SourceText for_each;                ///< Row name of a table, or "profile".
  std::vector<SourceText> needs;
  std::vector<RuleParam> params;
  std::optional<SourceText> where;
  std::vector<SourceText> group_by;
  GroupReport report = GroupReport::kWorst;
  std::vector<RuleLet> let;
  std::optional<SourceText> when;
  std::optional<RuleMetric> metric;
  /// If it is false, an error becomes a warning, and the verdict stays undecided.
  std::optional<SourceText> sure_when;
  std::optional<Level> level;  ///< For rules without limits: fires if there are rows.
  /// The rules that are symptoms of this one (ids or globs), and metrics: this rule explains why a
  /// limit on them is missed.
  std::vector<SourceText> explains;
  /// Symptoms with a condition, which is evaluated for the finding that explains them.
  std::vector<RuleLet> explains_when;
  std::optional<RuleGain> gain;
  std::vector<TextItem> message;     ///< Sentences.
  std::vector<TextItem> advice;      ///< Points.
  std::string source;                ///< Origin of the rule.
  std::string family;                ///< Subject shared by rules; findings are listed under it.
  std::optional<SourceText> change;  ///< Text for its scenario, with holes.
  std::optional<SourceText> next;    ///< Command for further investigation, with holes.
  std::string docs;
  std::optional<RuleEvidence> evidence;
  Where place;                  ///< Place of `id`, for messages about the whole rule.
  std::uint32_t last_line = 0;  ///< Last line of the rule in its file.
  /// `let` names that have a value per row. Their expressions replaced the names.
  std::vector<RuleLet> row_names;
  bool is_whole = true;  ///< False: decoding failed in part, so parts may be missing.
};

/// A decoded file of rules, not yet checked against the catalog of metrics.
struct RuleFile {
  std::string file;
  std::string name_space;
  std::vector<Rule> rules;
};

/// The rules of several files in file order. Ids are unique.
struct RuleSet {
  std::vector<Rule> rules;
  std::string hash;      ///< XXH3-128 over the files in order, for provenance.
  bool is_whole = true;  ///< False: some files or ids could not be decoded.

  const Rule* Find(std::string_view id) const;  ///< Also finds former ids. nullptr: none.
};

/// Decodes a rule file from text. Messages use `file`. Reports all errors.
tl::expected<RuleFile, Errors> ParseRuleFile(std::string_view text, const std::string& file);

/// Loads rule files: "builtin:NAME" for shipped ones, files, or folders (all *.yaml by name, except
/// *.test.yaml). Errors: those of all files, duplicate ids, and if no file has a rule.
tl::expected<RuleSet, Errors> LoadRules(const std::vector<std::string>& paths);

/// Like LoadRules(), but returns everything that could be decoded and adds the errors to `errors`,
/// so that they can be reported together with other kinds of mistakes.
RuleSet LoadRulesWithErrors(const std::vector<std::string>& paths, Errors& errors);

/// Adds an error for each of `rules` with the same title as another rule in `others`.
void CheckTitles(const std::vector<Rule>& rules, const std::vector<Rule>& others, Errors& errors);

/// Names of the compiled-in rule files for LoadRules(): "builtin:comm", …
std::vector<std::string> BuiltinRuleFiles();
/// Loads all compiled-in rule files.
tl::expected<RuleSet, Errors> LoadBuiltinRules();

}  // namespace profgauge::rules
