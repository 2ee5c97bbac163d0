// `queries` of profgauge.yaml: statements with a name, for `profgauge query PROFILE @NAME`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source_text.h"
#include "profgauge/error.h"
#include "rules/yaml.h"

namespace profgauge {

class Decoder;

struct ProjectQuery {
  struct Parameter {
    std::string name;
    std::string type;                  ///< "integer", "real", "text" or "any".
    std::optional<std::string> usual;  ///< Its value unless another is given.
  };

  std::string name;
  std::string title;    ///< The question, in one line; may be empty.
  std::string answers;  ///< The meaning of the answer; may be empty.
  SourceText sql;       ///< Checked by whoever has a database: `rules check`, `query`.
  std::vector<Parameter> parameters;
  Where where;
};

void DecodeQuery(Decoder& decoder, const YamlNode& node, std::vector<ProjectQuery>& out);

}  // namespace profgauge
