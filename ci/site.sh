#!/bin/sh
# The documents as a site, by Debian's mkdocs: ci/site.sh OUT. The program: $PROFGAUGE, or by name.
set -eu
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:?site.sh: name a folder}")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
git ls-files '*.md' 'examples/screenshots' | grep -vE '^(templates|tests|src|[.]github)/|SKILL|AGENTS' | while read -r file; do
  mkdir -p "$stage/docs/$(dirname "$file")"
  cp "$file" "$stage/docs/$file"
done
mkdir -p "$stage/docs/reference"
"${PROFGAUGE:-profgauge}" rules docs > "$stage/docs/reference/rules.md"
# Links to what is no page lead to the repository.
forge=https://github.com/OWNER/profgauge/blob/main
find "$stage/docs" -name '*.md' -printf '%P\n' | while read -r page; do
  python3 - "$stage/docs" "$page" "$forge" << 'PY'
import os, re, sys
root, page, forge = sys.argv[1:]
def link(m):
    target, anchor = m[1], m[2] or ""
    path = os.path.normpath(os.path.join(os.path.dirname(page), target))
    return m[0] if "://" in target or os.path.exists(os.path.join(root, path)) and path.endswith((".md", ".png")) and not path.startswith(".") else f"]({forge}/{path}{anchor})"
path = os.path.join(root, page)
text = open(path, encoding="utf-8").read()
open(path, "w", encoding="utf-8").write(re.sub(r"\]\(([^)#\s]+)(#[^)]*)?\)", link, text))
PY
done
cp ci/site/mkdocs.yml "$stage/"
mkdocs build --quiet --strict --config-file "$stage/mkdocs.yml" --site-dir "$out"
