// Drawing: the work is bounded by pixels, not by events.
class TimelineDrawing extends TimelineView {
  draw() {
    const css = getComputedStyle(document.documentElement);
    this.colors = { ink: css.getPropertyValue('--ink'), soft: css.getPropertyValue('--soft'),
      line: css.getPropertyValue('--line'), paper: css.getPropertyValue('--paper'),
      raised: css.getPropertyValue('--raised'), bad: css.getPropertyValue('--bad') };
    const g = this.canvas$.getContext('2d');
    this.scale = (this.width - TL.left) / (this.view[1] - this.view[0]);
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, this.width, this.shown);
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    this.drawFindings(g);
    for (const row of this.rows) {
      const y = row.y - this.scroll;
      if (y + row.height < TL.axis || y > this.shown) continue;
      if (row.type === 'lane') this.drawLane(g, row.lane, y);
      if (row.type === 'counter') this.drawCounter(g, row.counter, y);
    }
    this.drawArrow(g);
    this.drawOverlay(g);
    this.drawNames(g);
    this.drawAxis(g);
    this.drawMini();
    document.documentElement.dataset.drawn = 1 + +(document.documentElement.dataset.drawn || 0);
  }

  // An event narrower than a pixel is drawn as one, and the next event looked at is the first that
  // reaches beyond it: the work is bounded by pixels, not by events.
  drawLane(g, lane, y) {
    const [t0, t1] = this.view;
    const height = TL.lane - 2, wide = [];
    let color = NONE;
    for (let i = this.firstEnding(lane, t0); i < lane.end && this.start[i] < t1;) {
      const x0 = Math.max(this.x(this.start[i]), TL.left);
      const x1 = Math.min(this.x(this.endOf(i)), this.width);
      const category = this.category[this.kind[i]];
      if (category !== color) g.fillStyle = CATEGORIES[color = category][2];
      if (x1 - x0 < 1) {
        g.fillRect(x0, y, 1, height);
        i = this.firstEnding(lane, this.timeAt(x0 + 1), i + 1);
        continue;
      }
      g.fillRect(x0, y, Math.max(x1 - x0 - 0.5, 0.5), height);
      if (x1 - x0 > 28) wide.push(i, x0, x1);
      ++i;
    }
    for (let k = 0; k < wide.length; k += 3) {
      const [i, x0, x1] = wide.slice(k, k + 3);
      g.fillStyle = CATEGORIES[this.category[this.kind[i]]][3];
      g.fillText(shorten(this.nameOf(i), Math.floor((x1 - x0 - 4) / 6.4)), x0 + 3, y + height / 2 + 0.5);
    }
    if (this.hitKinds) this.drawHits(g, lane, y, height);
    if (this.selected >= lane.begin && this.selected < lane.end) {
      const x0 = this.x(this.start[this.selected]), x1 = this.x(this.endOf(this.selected));
      g.strokeStyle = this.colors.ink;
      g.lineWidth = 2;
      g.strokeRect(x0 - 1, y - 1, Math.max(x1 - x0, 2) + 1, height + 2);
    }
  }

  drawHits(g, lane, y, height) {
    g.strokeStyle = this.colors.bad;
    g.lineWidth = 1.5;
    for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1];) {
      const x0 = this.x(this.start[i]), x1 = this.x(this.endOf(i));
      if (this.hitKinds[this.kind[i]]) g.strokeRect(x0, y, Math.max(x1 - x0, 2), height);
      i = x1 - x0 < 1 ? this.firstEnding(lane, this.timeAt(x0 + 2), i + 1) : i + 1;
    }
  }

  drawCounter(g, counter, y) {
    const top = counter.unit === 'ratio' ? 1 : counter.value.reduce((a, b) => Math.max(a, b), 1), height = TL.counter - 8;
    g.fillStyle = CATEGORIES[1][2];
    const at = (i) => y + 2 + height * (1 - counter.value[i] / top);
    let i = Math.max(0, lowerBound(counter.time, this.view[0]) - 1);
    for (; i < counter.time.length && counter.time[i] < this.view[1];) {
      const x0 = Math.max(this.x(counter.time[i]), TL.left);
      let next = i + 1;
      if (next < counter.time.length && this.x(counter.time[next]) < x0 + 1) {
        next = Math.max(next, lowerBound(counter.time, this.timeAt(x0 + 1)));
      }
      const x1 = next < counter.time.length ? this.x(counter.time[next]) : this.width;
      g.fillRect(x0, at(i), Math.max(Math.min(x1, this.width) - x0, 1), y + 2 + height - at(i));
      i = next;
    }
    g.fillStyle = this.colors.soft;
    g.fillText(format(top, counter.unit), TL.left + 4, y + 8);
  }

  // Names stand over the left edge, so that events never cover them.
  drawNames(g) {
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, TL.left, this.shown);
    for (const row of this.rows) {
      const y = row.y - this.scroll;
      if (y + row.height < TL.axis || y > this.shown) continue;
      if (row.type === 'group') {
        g.fillStyle = this.colors.raised;
        g.fillRect(0, y, this.width, row.height - 2);
        g.fillStyle = this.colors.ink;
        g.font = '600 12px system-ui, sans-serif';
        g.fillText(`${row.folded ? '▸' : '▾'} ${shorten(row.name, 90)}`, 6, y + row.height / 2);
        g.font = '11px system-ui, sans-serif';
      } else if (row.name) {
        g.fillStyle = this.colors.soft;
        g.fillText(shorten(row.name, 30), 18, y + TL.lane / 2);
      }
    }
    g.strokeStyle = this.colors.line;
    g.lineWidth = 1;
    line(g, TL.left - 0.5, TL.axis, TL.left - 0.5, this.shown);
  }

  drawAxis(g) {
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, this.width, TL.axis);
    g.fillStyle = this.colors.soft;
    g.strokeStyle = this.colors.line;
    const rough = (this.view[1] - this.view[0]) / ((this.width - TL.left) / 120);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
    for (let t = Math.ceil((this.view[0] - this.first) / step) * step; this.first + t < this.view[1]; t += step) {
      const x = this.x(this.first + t);
      line(g, x, TL.axis - 5, x, TL.axis);
      g.fillText(axisTime(t, step), x + 3, TL.axis / 2);
    }
    line(g, 0, TL.axis - 0.5, this.width, TL.axis - 0.5);
  }

  drawFindings(g) {
    g.globalAlpha = 0.16;
    g.fillStyle = this.colors.bad;
    for (const [start, end, rank] of this.findings || []) {
      if (rank !== NONE && rank !== this.rank) continue;
      if (end < this.view[0] || start > this.view[1]) continue;
      g.fillRect(this.x(start), TL.axis, Math.max((end - start) * this.scale, 2), this.shown);
    }
    g.globalAlpha = 1;
  }

  drawOverlay(g) {
    const band = (start, end, alpha) => {
      g.globalAlpha = alpha;
      g.fillStyle = this.colors.ink;
      g.fillRect(this.x(start), TL.axis, Math.max((end - start) * this.scale, 1), this.shown);
      g.globalAlpha = 1;
    };
    if (this.range) band(...this.range, 0.12);
    g.strokeStyle = this.colors.bad;
    g.fillStyle = this.colors.bad;
    g.lineWidth = 1.5;
    this.marks.forEach((time, index) => {
      const x = this.x(time);
      line(g, x, TL.axis, x, this.shown);
      g.fillText(String(index + 1), x + 3, TL.axis + 8);
    });
  }

  // From the launching call to the device event.
  drawArrow(g) {
    const from = this.selected === NONE ? NONE : this.link[this.selected];
    if (from === NONE || from === undefined) return;
    const a = this.rowOf(from), b = this.rowOf(this.selected);
    if (!a || !b) return;
    const x0 = this.x(this.endOf(from)), y0 = a.y - this.scroll + TL.lane / 2;
    const x1 = this.x(this.start[this.selected]), y1 = b.y - this.scroll + TL.lane / 2;
    g.strokeStyle = this.colors.ink;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0 + 40, y0, x1 - 40, y1, x1, y1);
    g.moveTo(x1 - 7, y1 - 4);
    g.lineTo(x1, y1);
    g.lineTo(x1 - 7, y1 + 4);
    g.stroke();
  }

  drawMini() {
    const g = this.mini$.getContext('2d');
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    if (!this.miniImage) {
      this.miniImage = this.busyShares(Math.floor(this.width - TL.left));
    }
    g.clearRect(0, 0, this.width, TL.mini);
    g.fillStyle = this.colors.raised;
    g.fillRect(TL.left, 0, this.width, TL.mini);
    g.fillStyle = this.colors.soft;
    g.fillText('GPU busy', 18, TL.mini / 2);
    g.fillStyle = CATEGORIES[1][2];
    this.miniImage.forEach((share, x) => g.fillRect(TL.left + x, TL.mini * (1 - share), 1, TL.mini * share));
    const at = (time) => TL.left + Math.min(Math.max((time - this.first) / (this.last - this.first), 0), 1) * (this.width - TL.left);
    g.fillStyle = this.colors.bad;
    for (const [start, end, rank] of this.findings || []) {
      if (rank === NONE || rank === this.rank) g.fillRect(at(start), 0, Math.max(at(end) - at(start), 2), 4);
    }
    g.strokeStyle = this.colors.ink;
    g.lineWidth = 2;
    g.strokeRect(at(this.view[0]) + 1, 1, Math.max(at(this.view[1]) - at(this.view[0]) - 2, 3), TL.mini - 2);
  }
}
