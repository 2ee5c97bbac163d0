// ---- Charts: legends that show and hide parts.

// What a mark of a legend stands for: the class that its parts in charts have, too.
const kindOf = (swatch) => [...(swatch.querySelector('rect')?.classList || [])].find((name) => name.startsWith('k-'));

// The marks in a section or panel become switches for what its charts draw in their colour.
function switchParts(box) {
  for (const swatch of box.querySelectorAll('svg.swatch')) {
    const kind = kindOf(swatch), text = swatch.nextSibling;
    const inCharts = () => [...box.querySelectorAll(`svg:not(.swatch) .${kind}`)].filter((part) => !part.closest('button'));
    if (!kind || !text?.textContent.trim() || !inCharts().length) continue;
    const button = make('button', { type: 'button', className: 'switch', ariaPressed: 'true', title: `Show or hide ${text.textContent.trim()}` });
    button.dataset.kind = kind;
    button.addEventListener('click', () => {
      const shown = button.ariaPressed !== 'true';
      for (const other of box.querySelectorAll(`[data-kind="${kind}"]`)) other.ariaPressed = String(shown);
      for (const part of inCharts()) part.classList.toggle('off', !shown);
    });
    swatch.before(button);
    button.append(swatch, text);
    button.after(' ');  // one at its end shows nothing
  }
  rove(box.querySelectorAll('.switch'));
}

function addLegends() {
  // The chart of iterations has the parts that the breakdown lists.
  const figure = document.querySelector('#iterations figure'), legend = make('figcaption', { className: 'legend tools' });
  for (const row of document.querySelectorAll('#breakdown tbody tr[data-id]')) {
    const swatch = row.querySelector('svg.swatch');
    if (swatch && figure?.querySelector(`.${kindOf(swatch)}`)) legend.append(swatch.cloneNode(true), ' ' + row.cells[0].textContent.trim());
  }
  if (legend.children.length > 1) figure.prepend(legend);
  const figures = [...document.querySelectorAll('figure:has(> svg)')];
  // A chart that is wider than its place scrolls by keys, too.
  const fit = () => { for (const figure of figures) if (figure.scrollWidth > figure.clientWidth) figure.tabIndex = 0; else figure.removeAttribute('tabindex'); };
  addEventListener('resize', fit);
  fit();
  for (const figure of figures) {
    const svg = figure.querySelector(':scope > svg');
    figure.querySelector('figcaption')?.append(' ', make('button', { type: 'button', className: 'small picture', title: 'Copy as a picture', onclick: () => copyChart(svg, figure.id || 'chart') }, 'PNG'));
  }
  for (const box of document.querySelectorAll('.panel, .now, #breakdown, #iterations, #ranks')) switchParts(box);
}

function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
