'use strict';
// ---- What travels packed: base64 of gzip, in an element that browsers do not run.

async function inflate(id) {
  const element = document.getElementById(id);
  const bytes = Uint8Array.fromBase64?.(element.textContent) ?? Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  element.remove();  // its text is no longer needed
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}
