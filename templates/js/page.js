// ---- Small helpers.

// make('button', {type: 'button', onclick}, 'Copy', child, …)
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// The same for a part of a chart.
function shape(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A table that may be wider than its place: the keyboard scrolls it, too.
const scrolling = (name, table) => make('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: name }, table);

// On paper every finding stands open, as nobody can open one there.
const opened = [];
addEventListener('beforeprint', () => {
  for (const finding of document.querySelectorAll('details.finding:not([open])')) { finding.open = true; opened.push(finding); }
});
addEventListener('afterprint', () => { for (const finding of opened.splice(0)) finding.open = false; });

// Of several runs in one page the one that is shown ("r2-"): its addresses begin with this.
let ofRun = '';
const addressed = () => location.hash.slice(location.hash.startsWith(`#${ofRun}`) ? ofRun.length + 1 : 1);

// What the reader arranged is kept per kind of report, where the browser lets us.
const layout = {
  read() { try { return JSON.parse(localStorage.getItem('profgauge')) || {}; } catch { return {}; } },
  write(key, value) {
    try {
      localStorage.setItem('profgauge', JSON.stringify({ ...this.read(), [key]: value }));
    } catch { /* storage is off */ }
  },
};

// A long name as a table shows it: namespaces that most kernels share tell nothing; of what is left
// the middle goes. The whole name is its title.
const WIDTH = 84;
const plain = (text) => (text.length > WIDTH ? text.replace(/^void |\bat::native::|\(anonymous namespace\)::/g, '') : text);
const elided = (text) => {
  const short = plain(text);
  return short.length > WIDTH ? `${short.slice(0, 60)}…${short.slice(-20)}` : short;
};

// The same for a column: name → its text, so that different names look different. Those whose texts meet
// show where they begin to differ from their neighbours; what still meets is counted.
function distinct(names) {
  const out = new Map(), groups = new Map();
  for (const name of names) {
    const text = elided(name);
    out.set(name, text);
    if (!groups.has(text)) groups.set(text, new Set());
    groups.get(text).add(name);
  }
  for (const group of groups.values()) {
    if (group.size < 2) continue;
    const sorted = [...group].map((name) => [plain(name), name]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
    const common = (a, b) => { let at = 0; while (at < a.length && a[at] === b[at]) ++at; return at; };
    sorted.forEach(([text, name], index) => {
      const near = [sorted[index - 1], sorted[index + 1]].filter(Boolean).map((other) => common(text, other[0]));
      const from = Math.max(8, Math.max(...near) - 6), part = text.slice(from, from + WIDTH - 10);
      out.set(name, `${text.slice(0, 8)}…${part}${from + part.length < text.length ? '…' : ''}`);
    });
  }
  const seen = new Map();
  for (const name of [...out.keys()].sort()) {
    const text = out.get(name), count = (seen.get(text) || 0) + 1;
    seen.set(text, count);
    if (count > 1) out.set(name, `${text.slice(0, WIDTH - 2 - String(count).length)} #${count}`);
  }
  return out;
}

// A folded text shows all of it on hover too.
addEventListener('mouseover', (event) => {
  const summary = event.target.closest?.('summary[data-tail]');
  if (summary && !summary.title) summary.title = summary.parentElement.textContent;
});

// A menu that would leave the window moves into it.
addEventListener('toggle', ({ target }) => {
  if (!target.matches('.menu[open]')) return;
  const box = target.lastElementChild;
  box.style.left = '';
  const over = box.getBoundingClientRect().right + 8 - innerWidth;
  if (over > 0) box.style.left = `${box.offsetLeft - over}px`;
}, true);

// Many of a kind are one stop of the Tab key; arrows move among them.
function rove(elements) {
  const list = [...elements], shown = () => list.filter((one) => one.offsetParent);
  const first = list.find((one) => !one.closest('[hidden]'));
  for (const element of list) {
    element.tabIndex = element === first ? 0 : -1;
    element.addEventListener('focus', () => { for (const one of list) one.tabIndex = one === element ? 0 : -1; });
    element.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const to = step && !event.altKey && shown()[shown().indexOf(element) + step];
      if (!to) return;
      to.focus();
      event.preventDefault();
    });
  }
}

// What a reader took away comes back for a while.
function offerUndo(text, undo) {
  document.querySelector('.undo')?.remove();
  const box = make('div', { className: 'undo', role: 'status' }, `${text} `, make('button', { type: 'button', onclick() { box.remove(); undo(); } }, 'Undo'));
  document.body.append(box);
  setTimeout(() => box.remove(), 12000);
}

function save(name, text, type) {
  const link = make('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A picture goes to the clipboard, or where that is closed to a file.
async function copyPicture(canvas, name) {
  const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
  } catch {
    save(`${name}.png`, blob, 'image/png');
  }
}

// A chart as the page shows it: what the sheet says of its shapes goes along.
async function copyChart(svg, name) {
  const copy = svg.cloneNode(true), { width, height } = svg.getBoundingClientRect();
  const parts = [...svg.querySelectorAll('*')];
  [...copy.querySelectorAll('*')].forEach((part, index) => {
    const look = getComputedStyle(parts[index]);
    for (const name of ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'paint-order', 'font', 'display']) part.style[name] = look[name];
  });
  for (const [key, value] of Object.entries({ xmlns: 'http://www.w3.org/2000/svg', width, height })) copy.setAttribute(key, value);
  const picture = new Image();
  picture.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await picture.decode();
  const canvas = make('canvas', { width: 2 * width, height: 2 * height }), g = canvas.getContext('2d');
  g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--paper');
  g.fillRect(0, 0, canvas.width, canvas.height);
  g.drawImage(picture, 0, 0, canvas.width, canvas.height);
  await copyPicture(canvas, name);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make('textarea', { value: text, className: 'hide' });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
