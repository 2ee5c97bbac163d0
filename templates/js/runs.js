// ---- Several runs in one page: one of them, or the comparison of two, is shown, as the address says
// ("#r2", "#p1"). The others leave, and its ids become those of a page of one run, which all other
// scripts know. Another choice loads the page again.
{
  const parts = [...document.querySelectorAll('.part')];
  const idIn = (hash) => /^#([rpm]\d+)(?:-|$)/.exec(hash)?.[1];
  const wanted = idIn(location.hash);
  const shown = parts.find((part) => part.id === wanted) || parts[0];
  ofRun = `${shown.id}-`;
  for (const part of parts) if (part !== shown) part.remove();
  for (const name of ['id', 'href', 'aria-labelledby']) {
    const sign = name === 'href' ? '#' : '';
    for (const element of shown.querySelectorAll(`[${name}^="${sign}${ofRun}"]`)) {
      element.setAttribute(name, element.getAttribute(name).replaceAll(sign + ofRun, sign));
    }
  }
  document.title = `${shown.dataset.title} · profgauge`;
  document.querySelector('.skip').href = '#main';
  const box = document.querySelector('.runs .menu');
  for (const link of document.querySelectorAll('.runs a')) if (link.hash === `#${shown.id}`) link.setAttribute('aria-current', 'page');

  // Another run is read where this one was.
  const section = () => (shown.id[0] === 'r' && document.querySelector('.side a[aria-current]')?.hash.slice(1)) || '';
  const choose = (id) => { const at = section(); location.hash = id + (at && id[0] === 'r' && scrollY > 200 ? `-${at}` : ''); };
  document.querySelector('.runs').addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(link.hash.slice(1));
  });
  const side = shown.querySelector('nav');
  const links = [...document.querySelectorAll('.runs > a[href^="#r"]')];
  if (side && links.length) {
    const select = make('select', { id: 'run-choice' }, ...links.map((link) => make('option', { value: link.hash.slice(1) }, link.textContent.trim())));
    if (shown.id[0] !== 'r') select.prepend(make('option', { value: '' }, shown.dataset.title));
    select.value = shown.id[0] !== 'r' ? '' : shown.id;
    select.addEventListener('change', () => { if (select.value) choose(select.value); });
    side.append(make('label', {}, 'Run ', select));
  }
  addEventListener('click', (event) => { if (box.open && !box.contains(event.target)) box.open = false; });
  history.scrollRestoration = 'manual';
  addEventListener('hashchange', () => {
    const id = idIn(location.hash) || (location.hash ? shown.id : parts[0].id);
    if (id !== shown.id && parts.some((part) => part.id === id)) location.reload();
    else if (location.hash && !idIn(location.hash)) history.replaceState(null, '', `#${ofRun}${location.hash.slice(1)}`);
  });
}
