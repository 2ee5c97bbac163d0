// ---- The reader's own arrangement: light or dark, which sections are shown and in which order. The
// browser keeps it with panels, columns and lanes; it can be saved to a file and loaded elsewhere.

// Sheets say what dark is in one media rule, which is made to hold always or never.
function chooseLook(look) {
  const rules = [];
  for (const sheet of document.styleSheets) {
    try { rules.push(...sheet.cssRules); } catch { /* a sheet of a file beside the page */ }
  }
  const dark = rules.find((rule) => rule.media && (rule.dark || rule.media.mediaText.includes('prefers-color-scheme')));
  if (!dark) return false;
  dark.dark = true;
  dark.media.mediaText = { light: 'not all', dark: 'all' }[look] || '(prefers-color-scheme: dark)';
  document.documentElement.style.colorScheme = look || '';
  window.timeline?.redraw();
  return true;
}

function addLook() {
  const button = (text, title, onclick) => make('button', { type: 'button', title, ariaLabel: title, onclick }, text);
  const look = make('select', {}, ...['System', 'light', 'dark'].map((text, index) => make('option', { value: index ? text : '' }, text)));
  look.value = layout.read().look || '';
  look.addEventListener('change', () => { layout.write('look', look.value); chooseLook(look.value); });
  const main = document.getElementById('main'), list = make('div', {});
  const sections = [...main.children].filter((part) => (part.querySelector(':scope > h2') && !part.hidden) || (part.id === 'timeline-section' && !document.getElementById('no-timeline-title')));
  const kept = layout.read().sections || {}, hidden = new Set(kept.hidden || []), halves = new Set(kept.halves || []);
  const titleOf = (section) => section.querySelector('h2')?.textContent || 'Timeline';
  const keyOf = (section) => section.id || section.getAttribute('aria-labelledby');
  const inOrder = () => [...main.children].filter((part) => sections.includes(part));
  const keep = () => layout.write('sections', { order: inOrder().map(keyOf), hidden: [...hidden], halves: [...halves] });
  // Two sections of half the width stand side by side.
  const halve = (section) => {
    section.classList.toggle('half', halves.has(keyOf(section)));
    window.timeline?.resize();
  };
  const tell = () => list.replaceChildren(...inOrder().map((section, index, all) => {
    const key = keyOf(section), box = make('input', { type: 'checkbox', checked: !hidden.has(key) });
    box.addEventListener('change', () => {
      if (box.checked) hidden.delete(key); else hidden.add(key);
      section.classList.toggle('off', !box.checked);
      keep();
    });
    const move = (sign, label, to, place) => (all[to] ? button(sign, `${label}: ${titleOf(section)}`, () => {
      place(all[to]);
      keep();
      tell();
      list.children[to].querySelector('button, input').focus();
    }) : '');
    const row = make('div', { className: 'row', draggable: true });
    row.addEventListener('dragstart', (event) => { event.dataTransfer.setData('text/plain', keyOf(section)); event.dataTransfer.effectAllowed = 'move'; });
    row.addEventListener('dragover', (event) => event.preventDefault());
    row.addEventListener('drop', (event) => {
      event.preventDefault();
      const moved = sections.find((other) => keyOf(other) === event.dataTransfer.getData('text/plain'));
      if (!moved || moved === section) return;
      if (all.indexOf(moved) < index) section.after(moved); else section.before(moved);
      keep();
      tell();
    });
    const half = button('◫', `Half width: ${titleOf(section)}`, () => {
      if (!halves.delete(key)) halves.add(key);
      half.ariaPressed = String(halves.has(key));
      halve(section);
      keep();
    });
    half.ariaPressed = String(halves.has(key));
    row.append(make('label', {}, box, ` ${titleOf(section)} `),
      move('↑', 'Move up', index - 1, (other) => other.before(section)),
      move('↓', 'Move down', index + 1, (other) => other.after(section)), half);
    return row;
  }));
  for (const key of kept.order || []) {
    const section = sections.find((other) => keyOf(other) === key);
    if (section) sections.at(-1).after(section), sections.push(sections.splice(sections.indexOf(section), 1)[0]);
  }
  for (const section of sections) {
    section.classList.toggle('off', hidden.has(keyOf(section)));
    halve(section);
  }
  const load = () => {
    const file = make('input', { type: 'file', accept: '.json' });
    file.addEventListener('change', async () => loadLayout(await file.files[0].text()));
    file.click();
  };
  const tools = make('div', { className: 'tools' },
    button('Save', 'Save the layout to a file', () => save('layout.json', JSON.stringify(layout.read(), null, 1) + '\n', 'application/json')),
    button('Load', 'Load a layout from a file', load),
    button('Reset', 'Reset the layout', () => { try { sessionStorage.setItem('profgauge-before', JSON.stringify(layout.read())); } catch { /* storage is off */ } loadLayout('{}'); }));
  undoReset();
  const menu = make('details', { className: 'menu' }, make('summary', {}, 'Layout'), make('div', { className: 'narrow' }, list, tools, namedLayouts(button)));
  menu.addEventListener('toggle', tell);
  if (chooseLook(look.value)) tools.before(make('label', {}, 'Colors ', look));
  document.querySelector('nav')?.append(menu);
}

// A box that its corner makes higher keeps its height.
function keepHeight(box, id, changed) {
  box.style.height = (layout.read().heights || {})[id] || '';
  new ResizeObserver(() => {
    const heights = layout.read().heights || {}, own = box.style.height;
    if ((heights[id] || '') !== own) layout.write('heights', { ...heights, [id]: own });
    changed();
  }).observe(box);
}

// Arrangements under names of their own, for this browser's pages of any profile.
function namedLayouts(button) {
  const read = () => { try { return JSON.parse(localStorage.getItem('profgauge-layouts')) || {}; } catch { return {}; } };
  const write = (all) => { try { localStorage.setItem('profgauge-layouts', JSON.stringify(all)); } catch { /* storage is off */ } };
  const name = make('input', { size: 12, 'aria-label': 'Layout name', placeholder: 'name' });
  const known = make('select', { 'aria-label': 'Saved layouts' });
  const tell = () => known.replaceChildren(make('option', { value: '' }, 'named…'), ...Object.keys(read()).map((key) => make('option', { value: key }, key)));
  known.addEventListener('change', () => { if (known.value) loadLayout(JSON.stringify(read()[known.value])); });
  tell();
  return make('div', { className: 'tools' }, known, name,
    button('Save as', 'Save as a layout with this name', () => { if (name.value.trim()) write({ ...read(), [name.value.trim()]: layout.read() }); tell(); }),
    button('Delete', 'Delete the layout with this name', () => {
      const all = read(), before = { ...all };
      delete all[name.value.trim()];
      write(all);
      tell();
      offerUndo('Layout deleted', () => { write(before); tell(); });
    }));
}

// After a reset, which loads the page anew.
function undoReset() {
  try {
    const before = sessionStorage.getItem('profgauge-before');
    sessionStorage.removeItem('profgauge-before');
    if (before) offerUndo('Layout reset', () => loadLayout(before));
  } catch { /* storage is off */ }
}

function loadLayout(text) {
  try {
    localStorage.setItem('profgauge', JSON.stringify(JSON.parse(text)));
    location.reload();
  } catch { /* no layout, or storage is off */ }
}
