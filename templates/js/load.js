// ---- The page's scripts, which are four fifths smaller packed. The page's policy names their hash, so
// that a browser runs them and nothing else. One that cannot unpack them shows the page as without scripts.

inflate('c-scripts').then((packed) => packed.text())
  .then((text) => document.body.append(Object.assign(document.createElement('script'), { textContent: text })));
