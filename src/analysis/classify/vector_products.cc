#include "analysis/classify/vector_products.h"

#include "analysis/classify/eligibility.h"

namespace profgauge {

bool VectorProducts::Has(HostId op) {
  if (!op.valid()) return false;
  const StringId name = profile_.host.name[op.value];
  const StringId shapes = profile_.host.input_shapes[op.value];
  if (!name.valid() || !shapes.valid()) return false;
  const auto [known, is_new] = known_.try_emplace({name.value, shapes.value}, false);
  if (is_new) known->second = IsVectorProduct(profile_.Name(name), profile_.Name(shapes));
  return known->second;
}

}  // namespace profgauge
