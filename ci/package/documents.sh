#!/usr/bin/env bash
# The program's own documents, as files to install: manual pages, completions, schemas.
#   ci/package/documents.sh PROGRAM FOLDER      FOLDER becomes a `share`
set -euo pipefail
program=$(realpath "$1")
share=$2

rm -rf "$share"
mkdir -p "$share"/man/man{1,5} "$share/bash-completion/completions" \
  "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d" "$share/profgauge/schemas"
"$program" manual | while read -r page; do
  "$program" manual "$page" | gzip -9n > "$share/man/man${page##*.}/$page.gz"
done
"$program" completion bash > "$share/bash-completion/completions/profgauge"
"$program" completion zsh > "$share/zsh/vendor-completions/_profgauge"
"$program" completion fish > "$share/fish/vendor_completions.d/profgauge.fish"
"$program" schema | while read -r name _; do
  "$program" schema "$name" > "$share/profgauge/schemas/$name.json"
done
