// Parts of report.json that several files write.
#pragma once

#include <string_view>
#include <vector>

#include "render/json/json_writer.h"
#include "report/report.h"

namespace profgauge::render {

/// {"value", "unit", "text"} or {"absent", "unit"}, without the brackets: an absent value has its
/// reason, never a number.
void QuantityFields(JsonWriter& out, const report::Quantity& quantity);

/// The quantity as an object, only when it is set. `bound` is added when it is not empty.
void WriteAccepted(JsonWriter& out, const std::vector<report::Accepted>& accepted);
void WriteNoVerdict(JsonWriter& out, const std::vector<report::NoVerdict>& reasons);
void WriteLoosened(JsonWriter& out, const std::vector<report::Loosened>& loosened);
void OptionalQuantity(JsonWriter& out, std::string_view key, const report::Quantity& quantity);

/// The key "comparison" and its object.
void WriteComparison(JsonWriter& out, const report::Comparison& comparison);

}  // namespace profgauge::render
