// ---- Definitions: what a column's head or a label means, on hover, focus and tap.

const definition = make('div', { className: 'tip doc', role: 'tooltip', id: 'definition', hidden: true });
let defined;  // The element whose definition is shown.

function define(element, text) {
  if (!text) return;
  element.dataset.doc = text;
  element.removeAttribute('title');
  if (element.tabIndex < 0 && element.tagName !== 'BUTTON') element.tabIndex = 0;
}

function showDefinition(element) {
  defined = element;
  const box = element.getBoundingClientRect(), width = document.documentElement.clientWidth;
  definition.textContent = element.dataset.doc;
  definition.hidden = box.bottom < 0 || box.top > innerHeight;
  definition.style.left = `${Math.max(4, Math.min(box.left, width - definition.offsetWidth - 4))}px`;
  const below = box.bottom + 6, fits = below + definition.offsetHeight < innerHeight;
  definition.style.top = `${fits ? below : Math.max(4, box.top - definition.offsetHeight - 6)}px`;
  element.setAttribute('aria-describedby', 'definition');
}

// Labels of metrics take the definition from the table of all metrics, heads of columns their own.
function addDefinitions() {
  const known = new Map();
  for (const row of document.querySelectorAll('table[data-id="metrics"] tbody tr')) {
    known.set(row.cells[1].textContent, [...row.lastElementChild.childNodes].map((part) => part.textContent.trim().replace('↑', 'Higher is better.').replace('↓', 'Lower is better.')).filter(Boolean).join(' · '));
  }
  for (const label of document.querySelectorAll('[data-metric]')) define(label, known.get(label.dataset.metric));
  for (const id of document.querySelectorAll('#gate code.id')) define(id.parentElement, known.get(id.textContent));
  for (const head of document.querySelectorAll('.panel thead th[title]')) define(head, head.title);
  for (const grid of grids.values()) {
    grid.heads().forEach((head, index) => define(head.firstChild, head.title || grid.fields()[index].doc));
    for (const head of grid.heads()) head.removeAttribute('title');
  }
  const groups = new Map();
  for (const label of document.querySelectorAll('[data-doc]:not(th > button)')) {
    const group = label.closest('table, .panel') || document.body, kind = label.closest('thead') ? 'head' : 'row';
    if (!groups.has(group)) groups.set(group, {});
    (groups.get(group)[kind] ||= []).push(label);
  }
  for (const group of groups.values()) for (const labels of Object.values(group)) rove(labels);
  document.body.append(definition);
  // Who moves by keys hears what the box is that scrolls.
  for (const box of document.querySelectorAll('.scroll')) {
    box.role = 'group';
    box.ariaLabel = box.querySelector('caption')?.firstChild.textContent ?? '';
  }
  const hide = () => { definition.hidden = true; };
  for (const event of ['mouseover', 'focusin', 'click']) {
    addEventListener(event, ({ target }) => {
      const element = target.closest?.('[data-doc]');
      if (element) showDefinition(element); else if (event !== 'focusin') hide();
    });
  }
  addEventListener('focusout', hide);
  // Where the page scrolls away from under the pointer, the browser tells by `mouseover`.
  addEventListener('scroll', () => { if (!definition.hidden) showDefinition(defined); }, { capture: true, passive: true });
  addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
}
