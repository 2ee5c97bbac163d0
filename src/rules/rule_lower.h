// From a rule as schema 2 writes it to a self-contained one: arguments of its template,
// names of rows, sets and patterns are replaced by their contents, `per_iteration` by a quotient.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/rule_library.h"

namespace profgauge {

/// An argument of a template.
struct RuleArgument {
  ArgumentType type = ArgumentType::kText;
  SourceText text;
  std::vector<std::string> list;
};
using RuleArguments = std::map<std::string, RuleArgument, std::less<>>;

/// Everything that `LowerRule` needs beside the rule.
struct LowerContext {
  const RuleLibrary& library;
  const RuleArguments& arguments;
};

/// Resolves all names in `rule`. Adds errors of names and columns.
void LowerRule(const LowerContext& context, Rule& rule, Errors& errors);

}  // namespace profgauge
