// ---- The panels of the dashboard: the reader may reorder and hide them; the browser keeps it.

function arrangePanels() {
  const frame = document.querySelector('.panels');
  if (!frame) return;
  const panels = [...frame.children], first = panels.map((panel) => panel.id);
  const titleOf = (panel) => panel.querySelector('h3').textContent;
  const kept = layout.read().panels || {};
  const hidden = new Set(kept.hidden || []);
  const boxes = new Map();
  const spans = { ...kept.spans };
  const keep = () => layout.write('panels', { spans, order: [...frame.children].map((panel) => panel.id), hidden: [...hidden] });
  const said = make('span', { className: 'hide', role: 'status' });
  const show = (panel, isShown) => {
    if (isShown) hidden.delete(panel.id); else hidden.add(panel.id);
    panel.hidden = !isShown;
    boxes.get(panel.id).checked = isShown;
  };
  const widen = (panel, span) => {
    spans[panel.id] = span;
    panel.style.gridColumn = span > 1 ? `span ${span}` : '';
  };
  const move = (panel, step) => {
    const shown = [...frame.children].filter((other) => !other.hidden), at = shown.indexOf(panel), to = shown[at + step];
    if (!to) return;
    if (step < 0) to.before(panel); else to.after(panel);
    said.textContent = `${titleOf(panel)} is now panel ${at + step + 1} of ${shown.length}`;
    keep();
  };

  const list = make('div', {});
  for (const panel of panels) {
    const title = titleOf(panel);
    const box = make('input', { type: 'checkbox' });
    boxes.set(panel.id, box);
    box.addEventListener('change', () => { show(panel, box.checked); keep(); });
    list.append(make('label', {}, box, ' ' + title));
    const button = (text, label, onclick) => make('button', { type: 'button', title: label, ariaLabel: `${label}: ${title}`, onclick }, text);
    const tools = make('span', { className: 'arrange' },
      button('‹', 'Move earlier', (event) => { move(panel, -1); event.target.focus(); }),
      button('›', 'Move later', (event) => { move(panel, 1); event.target.focus(); }),
      button('↔', 'Wider, or as before', () => { widen(panel, (spans[panel.id] || 1) % 3 + 1); keep(); }),
      button('⧉', 'Copy as Markdown', () => copyText(markdownOf(panel, titleOf(panel)))),
      button('×', 'Hide', () => { show(panel, false); keep(); menu.firstChild.focus(); }));
    rove(tools.children);
    const head = panel.querySelector('h3');
    head.after(tools);
    head.draggable = true;
    head.addEventListener('dragstart', (event) => { event.dataTransfer.setData('text/plain', panel.id); event.dataTransfer.effectAllowed = 'move'; });
    panel.addEventListener('dragover', (event) => event.preventDefault());
    panel.addEventListener('drop', (event) => {
      event.preventDefault();
      const moved = panels.find((other) => other.id === event.dataTransfer.getData('text/plain'));
      if (!moved || moved === panel) return;
      const all = [...frame.children];
      if (all.indexOf(moved) < all.indexOf(panel)) panel.after(moved); else panel.before(moved);
      keep();
    });
  }
  const arrange = (order, isHidden, spanOf) => {
    for (const id of order) {
      const panel = panels.find((other) => other.id === id);
      if (!panel) continue;
      frame.append(panel);
      show(panel, !isHidden(id));
      widen(panel, spanOf(id) || 1);
    }
    keep();
  };
  const reset = make('button', {
    type: 'button', onclick() {
      const order = [...frame.children].map((panel) => panel.id), were = new Set(hidden), wide = { ...spans };
      arrange(first, () => false, () => 1);
      layout.write('panels', {});
      offerUndo('Panels reset', () => arrange(order, (id) => were.has(id), (id) => wide[id]));
    },
  }, 'Reset');
  const menu = make('details', { className: 'menu' }, make('summary', {}, 'Panels'), list);
  frame.before(make('div', { className: 'tools' }, menu, reset, said));
  for (const id of kept.order || []) {
    const panel = panels.find((other) => other.id === id);
    if (panel) frame.append(panel);
  }
  for (const panel of panels) {
    show(panel, !hidden.has(panel.id));
    if (spans[panel.id] > 1) widen(panel, spans[panel.id]);
  }
}

// The rows of a panel's tables and lists as Markdown.
function markdownOf(panel, title) {
  const cell = (text) => text.trim().replace(/\s+/g, ' ').replace(/[\\|<>&`*_[\]]/g, (sign) => `&#${sign.charCodeAt()};`);
  const rows = [...panel.querySelectorAll('tr')].map((row) => [...row.cells].map((part) => cell(part.innerText)));
  const width = Math.max(1, ...rows.map((row) => row.length)), line = (cells) => `| ${[...cells, ...Array(width - cells.length).fill('')].join(' | ')} |`;
  return [line([title]), line(Array(width).fill('--')), ...rows.map(line)].join('\n') + '\n';
}
