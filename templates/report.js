'use strict';
// report.js: sorting, filtering and copying of the page's tables. The page is complete without it.

// The number of a cell: its exact value leads the title, else the text. Text cells sort as text.
function cellKey(cell) {
  const text = cell.title || cell.textContent;
  const number = Number.parseFloat(text.replace(/[\s\u2009\u202f]/g, ''));
  return Number.isNaN(number) ? null : number;
}

function sortTable(table, column, descending) {
  const body = table.tBodies[0];
  const isText = table.tHead.rows[0].cells[column].align === 'left';
  const rows = [...body.rows].map((row) => {
    const cell = row.cells[column];
    return { row, key: isText ? cell.textContent : cellKey(cell) };
  });
  const sign = descending ? -1 : 1;
  rows.sort((a, b) => {
    if (isText) return sign * a.key.localeCompare(b.key, 'en', { numeric: true });
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return sign * (a.key - b.key);
  });
  body.append(...rows.map((entry) => entry.row));
  for (const head of table.tHead.rows[0].cells) head.removeAttribute('aria-sort');
  table.tHead.rows[0].cells[column].setAttribute(
    'aria-sort', descending ? 'descending' : 'ascending');
}

function addSorting(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const now = head.getAttribute('aria-sort');
      sortTable(table, column, now ? now === 'ascending' : head.align !== 'left');
    });
  });
}

for (const table of document.querySelectorAll('table.data')) addSorting(table);

// A link to something inside a closed <details> opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  if (target) target.scrollIntoView();
}
addEventListener('hashchange', openTarget);
openTarget();
