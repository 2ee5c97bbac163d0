// Completes the messages about a rule's mistakes: drops errors that follow from others, names the
// rule that uses a name of its file, and adds warnings about valid rules that are probably wrong.
#pragma once

#include <string>
#include <vector>

#include "rules/compile.h"

namespace profgauge::rules {

/// Adds errors of an expression, with offsets converted to lines of its file.
void AddMapped(const SourceText& source, std::vector<Error> found, Errors& errors);

/// Adds an error with one line of help; no help line if `help` is empty.
void AddError(const Where& where, std::string code, std::string message, std::string help,
              Errors& errors);

/// For a rule that was decoded only in part, keeps only the errors that do not follow from this:
/// those in expressions without parameters and `let` names, and unknown fields of rows and metrics.
void DropConsequences(const Rule& rule, Errors& errors);

/// Adds the rule's name to an error in a name or an import that the rule uses.
void NameUser(const Rule& rule, Errors& errors);

/// Adds two kinds of warnings. First: a field may be absent and is not in `needs`, and a constant
/// then replaces it in the metric or a limit, so that the rule passes instead of being not
/// applicable. Second: a gain divides the work of all devices only by iterations.
void AddWarnings(CompiledRule& rule);

/// Formats warnings as RenderErrors() formats errors.
std::string RenderWarnings(const Errors& warnings, bool color);

}  // namespace profgauge::rules
