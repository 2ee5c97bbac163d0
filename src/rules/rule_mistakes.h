// What is said of a rule's mistakes beside each one: what follows from others is left out, who uses
// a template is named, and rules that are well-formed and hardly say what is meant get warnings.
#pragma once

#include <string>

#include "rules/compile.h"

namespace profgauge {

/// Keeps of a rule whose decoding failed in part what does not follow from that: what is wrong
/// whatever parameters and names of `let` are, and unknown fields of rows and metrics.
void DropConsequences(const Rule& rule, Errors& errors);

/// Adds to errors that stand in a template or an import the rule that uses it.
void NameUser(const Rule& rule, Errors& errors);

/// Adds to its warnings: a metric or limit that falls back to a constant where a field is absent
/// that `needs` does not list (the rule then passes instead of not being applicable), and a gain
/// that adds up work of all devices and divides it by iterations alone.
void AddWarnings(CompiledRule& rule);

/// As RenderErrors() renders errors.
std::string RenderWarnings(const Errors& warnings, bool color);

}  // namespace profgauge
