// Parts of a kernel's name as profilers write it.
#pragma once

#include <string>
#include <string_view>

namespace profgauge {

/// The name up to its template or function arguments, without "void " and without the words that
/// compilers put for a namespace that has no name: "void (anonymous namespace)::f<int>(int*)" gives
/// "f". Template arguments name unrelated types, so patterns for the kernel itself match only this
/// part.
std::string KernelHead(std::string_view name);

/// The name for people: as recorded, without its function arguments, which begin at the last
/// bracket on the outermost level: "void (anonymous namespace)::f<g(int)>(int*)" gives
/// "void (anonymous namespace)::f<g(int)>".
std::string_view WithoutArguments(std::string_view name);

}  // namespace profgauge
