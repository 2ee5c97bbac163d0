// A rule as decoded from YAML: a problem, its measurement, and the advice.
//
// Plain data: every expression is still text that knows its place in the file (SourceText). The
// evaluator compiles and checks it. The keys and their meaning are documented in rules/README.md.
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

/// How a number is shown. kAuto: as its own unit says.
struct ShowAs {
  enum class Kind : std::uint8_t { kAuto, kDuration, kBytes, kPercent, kNumber };
  Kind kind = Kind::kAuto;
  int decimals = -1;  ///< Only for kNumber, 0..9; -1: three significant digits.
};

/// A number of the rule that a policy may override.
struct RuleParam {
  std::string name;       ///< Used as `$name`.
  Literal default_value;  ///< Its unit is the parameter's unit.
  std::string doc;
  Where where;
  std::vector<std::string> formerly;  ///< Names that it had before.
};

/// One `name: expression` of `let`, in file order; later ones may use earlier ones.
struct RuleLet {
  std::string name;
  Where where;  ///< Location of the name.
  SourceText value;
  std::string values_of = {};  ///< The column or fact whose values it has; empty: any.
};

/// The measured number and its limits. A limit is a literal or a `$param`.
struct RuleMetric {
  std::string is;                ///< The noun phrase that names it.
  std::optional<SourceText> of;  ///< Whose it is, of several: "rank 3", with holes.
  SourceText value;
  ShowAs show_as;
  std::optional<SourceText> warn_above, error_above, warn_below, error_below;
};

enum class GainBound : std::uint8_t { kUpper, kTypical, kMeasured };
std::string_view GainBoundName(GainBound bound);  ///< "upper", "typical", "measured"

/// Estimated saving per iteration: shown and used for ranking, never for the verdict.
struct RuleGain {
  SourceText value;  ///< The time that the finding is about.
  /// The most of it that can be saved, where that is less: what can hide it, say.
  std::optional<SourceText> at_most;
  GainBound bound = GainBound::kUpper;
  std::string why;
  std::vector<WhatIfScale> scenario;  ///< Changes that a simulation predicts; empty: only `value`.
  std::string measured;               ///< One device's experience, for `rules explain`.
  bool without_waiting = false;       ///< The selected work waits for no rank either, where known.
  bool keeps_up = false;     ///< The rank of selected collectives arrives with the next to last.
  bool host_reacts = false;  ///< Other work of the host may become slower: the saving is a range.
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

/// A sentence of a message, a point of advice, or several.
struct TextItem {
  std::optional<SourceText> when;  ///< Shown only where this holds; absent counts as false.
  SourceText text;                 ///< With `{{ expr | filter }}` holes; empty where there are…
  std::vector<TextItem> items;     ///< …items in its place: all that hold, or…
  bool is_case = false;            ///< …the first of them.
};
/// All texts of `items`, each with its condition, for `rules explain` and `rules docs`.
std::string TextOf(const std::vector<TextItem>& items);

/// One result per group, or all groups folded into the worst.
enum class GroupReport : std::uint8_t { kWorst, kEach };

/// A decoded rule, complete: names of rows are in it.
/// With `is_whole` false it is kept only so that further errors are found.
struct Rule {
  std::string id;  ///< "namespace/id": stable for ever.
  std::string title, category;
  std::vector<std::string> formerly;  ///< Full ids that it had before.
  SourceText for_each;                ///< Row name of a table, or "profile".
  std::vector<SourceText> needs;
  std::vector<RuleParam> params;
  std::optional<SourceText> where;
  std::vector<SourceText> group_by;
  GroupReport report = GroupReport::kWorst;
  std::vector<RuleLet> let;
  std::optional<SourceText> when;
  std::optional<RuleMetric> metric;
  /// An error counts as one only where this holds; else it warns and leaves the verdict undecided.
  std::optional<SourceText> sure_when;
  std::optional<Level> level;  ///< For rules without limits: fires when rows exist.
  /// Ids or globs of rules that are symptoms of this one, and metrics whose missed limit it
  /// explains.
  std::vector<SourceText> explains;
  /// More of them, each with its condition on the finding that explains it.
  std::vector<RuleLet> explains_when;
  std::optional<RuleGain> gain;
  std::vector<TextItem> message;  ///< Sentences.
  std::vector<TextItem> advice;   ///< Points.
  std::string source;             ///< Where the rule comes from.
  std::string family;  ///< A subject shared with others: those that fire are listed under one.
  std::optional<SourceText> change;  ///< The change that its scenario is, with holes.
  std::optional<SourceText> next;    ///< A command that continues the investigation, with holes.
  std::string docs;
  std::optional<RuleEvidence> evidence;
  Where place;                  ///< Of `id`, for messages about the whole rule.
  std::uint32_t last_line = 0;  ///< In the file: later lines belong to another rule.
  /// `let` names that differ from row to row: their expressions replace them.
  std::vector<RuleLet> row_names;
  bool is_whole = true;  ///< False: decoding it added an error, so that parts may be missing.
};

/// One file of rules, decoded but not yet checked against the metric catalogue.
struct RuleFile {
  std::string file;
  std::string name_space;
  std::vector<Rule> rules;
};

/// Rule files together; ids are unique over all of them. Rules in file order.
struct RuleSet {
  std::vector<Rule> rules;
  std::string hash;      ///< XXH3-128 over the sources, in order; for the provenance.
  bool is_whole = true;  ///< False: files or ids could not be decoded.

  const Rule* Find(std::string_view id) const;  ///< Also by a former id. nullptr: none.
};

/// Decodes one rule file from text; `file` is used in messages. Reports all errors.
tl::expected<RuleFile, Errors> ParseRuleFile(std::string_view text, const std::string& file);

/// Loads the rule files of `paths` ("builtin:NAME" for a shipped one, files, or folders of which
/// all *.yaml except *.test.yaml are taken, by name). Errors: of all files together, also ids given
/// twice, and that there is no rule in any of them.
tl::expected<RuleSet, Errors> LoadRules(const std::vector<std::string>& paths);

/// The same, with all that can be decoded beside the errors, which are added to `errors`: so that
/// mistakes of other kinds can be reported with them.
RuleSet LoadRulesWithErrors(const std::vector<std::string>& paths, Errors& errors);

/// Adds an error for each of `rules` whose title is that of another one in `others`.
void CheckTitles(const std::vector<Rule>& rules, const std::vector<Rule>& others, Errors& errors);

/// Names of the rule files that are compiled in, for LoadRules: "builtin:comm", …
std::vector<std::string> BuiltinRuleFiles();
/// All of them.
tl::expected<RuleSet, Errors> LoadBuiltinRules();

}  // namespace profgauge::rules
