// Completes messages about a rule's mistakes: drops consequences of other errors, names the rule
// that uses a name of the file, and adds warnings for valid rules that are probably wrong.
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

/// If a rule was decoded only in part, keeps only errors that do not follow from that: those
/// without parameters and `let` names, and unknown fields of rows and metrics.
void DropConsequences(const Rule& rule, Errors& errors);

/// Adds the rule's name to errors in a template or an import that it uses.
void NameUser(const Rule& rule, Errors& errors);

/// Adds warnings about: a metric or limit that becomes a constant if a field is absent that `needs`
/// does not list (the rule then passes instead of being not applicable), and a gain that divides
/// the work of all devices only by iterations.
void AddWarnings(CompiledRule& rule);

/// Formats warnings as RenderErrors() formats errors.
std::string RenderWarnings(const Errors& warnings, bool color);

}  // namespace profgauge::rules
