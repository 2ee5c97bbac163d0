// Data types as frameworks write them, brought to one spelling, with their size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge {

/// "c10::Half", "Half", "float16", "HALF" → "float16"; an unknown name is returned unchanged.
std::string_view CanonicalDtype(std::string_view dtype);

/// Bytes of one element; 0 when the type is unknown.
double DtypeBytes(std::string_view dtype);

/// The items of "[float, c10::Half, , Scalar]", without blanks; brackets nest ("[a, b]" inside is
/// one item). Works for shapes too: "[[2, 3], []]" gives "[2, 3]" and "[]".
std::vector<std::string_view> SplitList(std::string_view text);

/// The first item of an operator's input types that names a tensor's element type, canonical; empty
/// when there is none.
std::string_view FirstTensorDtype(std::string_view input_dtypes);

}  // namespace profgauge
