// Drawing: the work is bounded by pixels, not by events.
class TimelineDrawing extends TimelineView {
  draw() {
    const css = getComputedStyle(document.documentElement);
    this.colors = { ink: css.getPropertyValue('--ink'), soft: css.getPropertyValue('--soft'),
      line: css.getPropertyValue('--line'), paper: css.getPropertyValue('--paper'),
      raised: css.getPropertyValue('--raised'), bad: css.getPropertyValue('--bad'), link: css.getPropertyValue('--link') };
    const on = css.getPropertyValue('--on').trim();  // Fills of the dark are light.
    for (const [, , look, name] of CATEGORIES) {
      look[0] = css.getPropertyValue(`--${name}`).trim() || look[0];
      look[2] ||= look[1];
      look[1] = on || look[2];
    }
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
      for (const lane of row.lanes || []) this.drawLane(g, lane, y);
      if (row.type === 'counter') this.drawCounter(g, row.counter, y, row.height);
      if (row.type === 'regions') this.drawRegions(g, y);
    }
    this.drawPath(g);
    this.drawArrow(g);
    this.drawNames(g);
    this.drawOverlay(g);
    this.drawAxis(g);
    this.drawMini();
    document.documentElement.dataset.drawn = 1 + +(document.documentElement.dataset.drawn || 0);
  }

  // Events narrower than a pixel share a bar of one, up to the next event that reaches beyond it: as
  // high as the part of it that they cover. The work is bounded by pixels, not by events.
  drawLane(g, lane, y) {
    const [t0, t1] = this.view;
    const height = TL.lane - 2, wide = [];
    let look = null;
    for (let i = this.firstEnding(lane, t0); i < lane.end && this.start[i] < t1;) {
      const x0 = Math.max(this.x(this.start[i]), TL.left);
      const x1 = Math.min(this.x(this.endOf(i)), this.width);
      const own = this.lookOf(i, lane);
      if (own !== look) g.fillStyle = (look = own)[0];
      if (x1 - x0 < 1) {
        const pixel = this.pixelAt(lane, i), high = pixel.share < 0 ? height : Math.max(height * pixel.share, 1 / (devicePixelRatio || 1));
        g.fillRect(x0, y + height - high, pixel.width, high);
        // A mark has no length: its name stands behind it, where nothing follows.
        const next = i + 1 < lane.end ? Math.min(this.x(this.start[i + 1]), this.width) : this.width;
        if (!this.duration[i] && next - x0 > 34) wide.push(i, x0, next, true);
        i = pixel.next;
        continue;
      }
      g.fillRect(x0, y, x1 - x0 - (x1 - x0 > 8 ? 0.5 : 0), height);
      if (x1 - x0 > 28) wide.push(i, x0, x1, false);
      ++i;
    }
    for (let k = 0; k < wide.length; k += 4) {
      const [i, x0, x1, isMark] = wide.slice(k, k + 4);
      g.fillStyle = isMark ? this.colors.soft : this.lookOf(i, lane)[1];
      g.fillText(shorten(this.nameOf(i), Math.floor((x1 - x0 - 4) / 6.4)), x0 + 3, y + height / 2 + 0.5);
    }
    if (this.isHit) this.drawHits(g, lane, y, height);
    if (this.selected >= lane.begin && this.selected < lane.end) {
      const x0 = this.x(this.start[this.selected]), x1 = this.x(this.endOf(this.selected));
      g.strokeStyle = this.colors.ink;
      g.lineWidth = 2;
      g.strokeRect(x0 - 1, y - 1, Math.max(x1 - x0, 2) + 1, height + 2);
    }
  }

  // The bar of the narrow events from `i` on: {width, share: the part of it that they cover, -1 for
  // marks alone, which have no time, next: the event after them}.
  pixelAt(lane, i) {
    const x0 = Math.max(this.x(this.start[i]), TL.left), next = this.firstEnding(lane, this.timeAt(x0 + 1), i + 1);
    const width = next < lane.end ? Math.min(1, Math.max(this.x(this.start[next]) - x0, 0.01)) : 1;
    const time = this.timeBefore(next) - this.timeBefore(i);
    return { width, next, share: time ? Math.min(1, time * this.scale / width) : -1 };
  }
  // The time of all events before this one, whatever their lanes: sums of neighbors are differences.
  timeBefore(event) {
    if (!this.timesBefore) {
      this.timesBefore = new Float64Array(this.duration.length + 1);
      for (let i = 0; i < this.duration.length; ++i) this.timesBefore[i + 1] = this.timesBefore[i] + this.duration[i];
    }
    return this.timesBefore[event];
  }

  drawHits(g, lane, y, height) {
    g.strokeStyle = this.colors.bad;
    g.lineWidth = 1.5;
    for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1];) {
      const x0 = this.x(this.start[i]), x1 = this.x(this.endOf(i));
      if (this.isHit[i]) g.strokeRect(x0, y, Math.max(x1 - x0, 2), height);
      i = x1 - x0 < 1 ? this.firstEnding(lane, this.timeAt(x0 + 2), i + 1) : i + 1;
    }
  }

  // A pixel with several samples shows their mean over its time, a line's from the least to the largest;
  // then the last one is held up to the next pixel that has a sample.
  drawCounter(g, counter, y, room) {
    const top = counter.top, height = room - 8, { time, value } = counter;
    g.fillStyle = CATEGORIES[counter.line ? CATEGORY.memcpy : CATEGORY.other_kernel][2][0];
    if (counter.of) this.drawDerived(g, counter, y + 2, height);
    const at = (number) => y + 2 + height * (1 - number / top);
    const bar = (x0, x1, number) => g.fillRect(x0, at(number), x1 - x0, y + 2 + height - at(number));
    let i = Math.max(0, lowerBound(time, this.view[0]) - 1), before = null;
    if (counter.end <= this.view[0]) i = time.length;
    while (i < time.length && time[i] < Math.min(this.view[1], counter.end)) {
      const x0 = Math.max(this.x(time[i]), TL.left), edge = this.timeAt(x0 + 1);
      const next = i + 1 < time.length && time[i + 1] < edge ? lowerBound(time, edge) : i + 1;
      const x1 = Math.max(x0 + 1, Math.min(this.x(next < time.length ? time[next] : counter.end), this.width)), held = value[next - 1];
      if (counter.line) {
        let least = before ?? value[i], most = least;
        for (let k = i; k < next; ++k) [least, most] = [Math.min(least, value[k]), Math.max(most, value[k])];
        g.fillRect(x0, at(most) - 1, 1, at(least) - at(most) + 2);
        g.fillRect(x0, at(held) - 1, x1 - x0, 2);
        before = held;
      } else if (next === i + 1) {
        bar(x0, x1, held);
      } else {
        const from = Math.max(time[i], this.timeAt(x0));
        let sum = 0;
        for (let k = i; k < next; ++k) sum += value[k] * (Math.min(k + 1 < next ? time[k + 1] : edge, edge) - Math.max(time[k], from));
        bar(x0, x0 + 1, sum / (edge - from));
        if (x1 > x0 + 1) bar(x0 + 1, x1, held);
      }
      i = next;
    }
    const text = `0 to ${format(counter.most, counter.unit)}`;  // The axis.
    g.fillStyle = this.colors.paper;
    g.fillRect(TL.left + 2, y + 1, g.measureText(text).width + 4, 13);
    g.fillStyle = this.colors.soft;
    g.fillText(text, TL.left + 4, y + 8);
  }

  // Each pixel is as high as the mean over its time.
  drawDerived(g, counter, y, height) {
    const last = Math.min(this.width, Math.ceil(this.x(Math.min(counter.end, this.last))));
    for (let x = Math.max(TL.left, Math.floor(this.x(this.first))); x < last; ++x) {
      const high = height * this.meanOf(counter, this.timeAt(x), this.timeAt(x + 1));
      if (high > 0) g.fillRect(x, y + height - high, 1, high);
    }
  }

  // Boxes with the regions' names, and every second one as a band over all lanes.
  drawRegions(g, y) {
    let done = -Infinity;
    this.regions.forEach(([name, start, end], index) => {
      const x0 = Math.max(this.x(start), TL.left), x1 = Math.min(this.x(end), this.width);
      if (x1 < TL.left || x0 > this.width || x1 <= done + 1) return;
      done = x1;
      g.fillStyle = this.colors.ink;
      g.globalAlpha = index % 2 ? 0.05 : 0.1;
      g.fillRect(x0, TL.axis, Math.max(x1 - x0, 1), this.shown);
      g.globalAlpha = 1;
      if (x1 - x0 > 28) g.fillText(shorten(name, Math.floor((x1 - x0 - 4) / 6.4)), x0 + 3, y + TL.lane / 2);
    });
  }

  // Names stand over the left edge, so that events never cover them.
  drawNames(g) {
    g.fillStyle = this.colors.paper;
    g.fillRect(0, 0, TL.left, this.shown);
    for (const row of this.rows) {
      const y = row.y - this.scroll;
      if (y + row.height < TL.axis || y > this.shown) continue;
      const sign = row.key && (row.name || row.type !== 'lane') ? (row.folded ? '▸ ' : '▾ ') : '';
      if (row.type === 'group') {
        g.fillStyle = this.colors.raised;
        g.fillRect(0, y, this.width, row.height - 2);
        g.fillStyle = this.colors.ink;
        g.font = '600 12px system-ui, sans-serif';
        g.fillText(sign + shorten(row.name, 90), 6, y + row.height / 2);
        g.font = '11px system-ui, sans-serif';
      } else if (row.name) {
        g.fillStyle = row.type === 'section' ? this.colors.ink : this.colors.soft;
        g.fillText(sign + shorten(row.name, 30 - sign.length), row.type === 'section' || !sign ? 18 : 8, y + TL.lane / 2);
      }
    }
    if (this.height > this.shown) {  // what is below can be scrolled to
      g.fillStyle = this.colors.soft;
      g.fillRect(this.width - 4, TL.axis + this.scroll / this.height * (this.shown - TL.axis), 4, Math.max(20, this.shown / this.height * (this.shown - TL.axis)));
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
    for (let t = Math.ceil(this.view[0] / step) * step; t < this.view[1]; t += step) {
      const x = this.x(t);
      line(g, x, TL.axis - 5, x, TL.axis);
      const text = axisTime(t, step);  // left of its tick where it would be cut
      g.fillText(text, x + 3 + g.measureText(text).width > this.width ? x - 3 - g.measureText(text).width : x + 3, TL.axis / 2);
    }
    line(g, 0, TL.axis - 0.5, this.width, TL.axis - 0.5);
  }

  // Where findings lie, as one union: many over each other must not hide the events.
  drawFindings(g) {
    g.globalAlpha = 0.13;
    g.fillStyle = this.colors.bad;
    const own = (this.findings || []).filter(([, , rank]) => rank === NONE || rank === this.rank).sort((a, b) => a[0] - b[0]), bands = new Union(own.length);
    for (const [start, end] of own) bands.add(start, end);
    const union = bands.all();
    for (let k = 0; k < union.length; k += 2) {
      const [start, end] = [union[k], union[k + 1]];
      if (end < this.view[0] || start > this.view[1]) continue;
      g.fillRect(this.x(start), TL.axis, Math.max((end - start) * this.scale, 2), this.shown);
    }
    g.globalAlpha = 1;
  }

  drawOverlay(g) {
    if (this.range) {
      const [start, end] = this.range, [top, bottom] = this.box || [TL.axis + this.scroll, this.scroll + this.shown];
      g.globalAlpha = 0.14;
      g.fillStyle = this.colors.ink;
      const x = Math.max(this.x(start), TL.left);
      g.fillRect(x, top - this.scroll, Math.max(this.x(end) - x, 1), bottom - top);
      g.globalAlpha = 1;
    }
    g.strokeStyle = g.fillStyle = this.colors.link;
    for (const { name, time } of this.marks) {
      const x = this.x(time);
      if (x < TL.left || x > this.width) continue;
      line(g, x, TL.axis - 8, x, this.shown);
      g.fillText(shorten(name, 24), x + 3, TL.axis + 8);
    }
  }

  // Where the critical path runs: a line below the events that its steps lie in, from one to the next.
  drawPath(g) {
    const lane = this.pathLane(), rows = new Map();
    if (!lane) return;
    for (const row of this.rows) for (const other of row.lanes || []) rows.set(other, row);
    g.strokeStyle = this.colors.ink;
    let before = null;
    for (let i = this.firstEnding(lane, this.view[0]); i < lane.end && this.start[i] < this.view[1];) {
      const x0 = this.x(this.start[i]), x1 = this.x(this.endOf(i)), row = rows.get(this.link[i] === NONE ? lane : this.laneOf(this.link[i]));
      if (x1 - x0 < 1) {
        i = this.firstEnding(lane, this.timeAt(x0 + 1), i + 1);
        before = null;
        continue;
      }
      const y = row ? row.y - this.scroll + TL.lane - 2 : null;
      g.lineWidth = i === this.selected ? 4 : 2;
      if (y !== null) line(g, Math.max(x0, TL.left), y, x1, y);
      g.lineWidth = 1;
      if (y !== null && before !== null && y !== before) line(g, x0, before, x0, y);
      before = y;
      ++i;
    }
  }

  // From the launching call to the device event, or from what an instruction waits for.
  drawArrow(g) {
    if (this.selected === NONE) return;
    const call = this.link[this.selected];
    g.strokeStyle = this.colors.ink;
    g.lineWidth = 1.5;
    if (call !== NONE && call !== undefined && !this.isStep(this.selected)) this.drawEdge(g, call, this.selected);
    for (const from of this.neighbours(this.selected, false).slice(0, 40)) this.drawEdge(g, from, this.selected);
  }
  drawEdge(g, from, to) {
    const a = this.rowOf(from), b = this.rowOf(to);
    if (!a || !b) return;
    const x0 = this.x(this.endOf(from)), y0 = a.y - this.scroll + TL.lane / 2;
    const x1 = this.x(this.start[to]), y1 = b.y - this.scroll + TL.lane / 2;
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
    g.fillText(this.head.device + ' busy', 18, TL.mini / 2);
    g.fillStyle = CATEGORIES[CATEGORY.other_kernel][2][0];
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
