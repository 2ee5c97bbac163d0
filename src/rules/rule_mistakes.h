// Completes the messages of a rule's mistakes: consequences of others are dropped, the user of
// a name of the file is told, and rules that are well-formed but probably wrong get warnings.
#pragma once

#include <string>
#include <vector>

#include "rules/compile.h"

namespace profgauge::rules {

/// Moves errors of an expression from its own bytes to the lines of its file.
void AddMapped(const SourceText& source, std::vector<Error> found, Errors& errors);

/// An error with one line of help; without it where `help` is empty.
void AddError(const Where& where, std::string code, std::string message, std::string help,
              Errors& errors);

/// If decoding of a rule failed in part, keeps only the errors that do not follow from that: those
/// independent of parameters and names of `let`, and unknown fields of rows and metrics.
void DropConsequences(const Rule& rule, Errors& errors);

/// Adds to errors in a template or an import the rule that uses it.
void NameUser(const Rule& rule, Errors& errors);

/// Adds to its warnings: a metric or limit that falls back to a constant where a field is absent
/// that `needs` does not list (the rule then passes instead of not being applicable), and a gain
/// that divides the work of all devices only by iterations.
void AddWarnings(CompiledRule& rule);

/// As RenderErrors() renders errors.
std::string RenderWarnings(const Errors& warnings, bool color);

}  // namespace profgauge::rules
