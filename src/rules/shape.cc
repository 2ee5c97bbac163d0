#include "rules/shape.h"

#include "rules/decode.h"
#include "rules/knowledge_decode.h"
#include "rules/policy_decode.h"
#include "rules/project.h"
#include "rules/rule_decode.h"
#include "rules/rule_test.h"
#include "rules/rule_test_decode.h"

namespace profgauge {
namespace {

template <class Decode>
Shape Ask(Decode decode) {
  YamlDocument document;
  document.root.kind = YamlNode::Kind::kMap;
  Errors errors;
  Shape shape;
  Decoder decoder(document, errors, shape);
  decode(decoder);
  return shape;
}

Shape RuleShape() {
  Shape shape = Ask([](Decoder& decoder) {
    RuleFile rules;
    DecodeRuleFile2(decoder, rules);
  });
  shape.variants = {Ask([](Decoder& decoder) {
    RuleFile rules;
    DecodeRuleFile(decoder, rules);
  })};
  return shape;
}

}  // namespace

std::vector<FileShape> ConfigurationShapes() {
  return {
      {"policy", "Requirements of a project: the file of --policy", Ask([](Decoder& decoder) {
         Policy policy;
         DecodePolicy(decoder, policy);
       })},
      {"rules", "Rules: a file of `rule_files` or `rules check`", RuleShape()},
      {"rule-tests", "Tests of rules: a *.test.yaml file", Ask([](Decoder& decoder) {
         RuleTestFile tests;
         DecodeRuleTests(decoder, tests);
       })},
      {"devices", "Peaks of devices: the file of a policy's `devices`", Ask([](Decoder& decoder) {
         std::vector<KnownDevice> devices;
         DecodeDevices(decoder, devices);
       })},
      {"config", "profgauge.yaml: the profiles, policies and baselines of a repository",
       Ask([](Decoder& decoder) {
         Project project;
         DecodeProject(decoder, project);
       })},
      {"names", "Which kernels use Tensor Cores: the file of a policy's `tensor_core: names`",
       Ask([](Decoder& decoder) {
         std::vector<KernelNameRule> names;
         DecodeKernelNames(decoder, names);
       })},
  };
}

}  // namespace profgauge
