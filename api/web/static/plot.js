// Charts of categories to point at and to zoom into, drawn by uPlot from the rows of their tables. Without this script
// the picture of the service stays in their place, and the table has the figures.
"use strict";

const FONT = "11px 'Liberation Sans', Arial, Helvetica, sans-serif";
const MARGIN = 48; // pixels left of the axis, as in the picture
const MAX_BAR = 44;
const ROOM_OF_TOTAL = 34; // pixels of a bucket from which on totals over bars keep clear of one another
const MAX_GRID_LINES = 4;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const made = (tag, classes, text = "") => {
  const element = document.createElement(tag);
  element.className = classes;
  element.textContent = text;
  return element;
};

// What a table says: its categories in their order, and its buckets with the texts of their cells.
function read(table) {
  const heads = [...table.tHead.rows[0].cells].filter((cell) => cell.dataset.category);
  const buckets = [...table.tBodies[0].rows].map((row) => {
    const cells = [...row.querySelectorAll("[data-value]")];
    const values = cells.map((cell) => (cell.dataset.value === "" ? null : Number(cell.dataset.value)));
    return {
      name: `${row.dataset.tick} ${row.dataset.year}`.trim(),
      tick: row.dataset.tick,
      year: row.dataset.year,
      part: row.dataset.part || "",
      values,
      texts: cells.map((cell) => cell.textContent),
      total: row.cells[1].textContent,
      link: row.querySelector("a"),
      sum: values.includes(null) ? null : values.reduce((sum, value) => sum + value, 0),
    };
  });
  return { unit: table.dataset.plots, categories: heads.map((head) => head.dataset.category), labels: heads.map((head) => head.textContent), buckets };
}

// The least step of 1, 2 or 5 tens by which a few lines reach the largest value.
function stepTo(most) {
  const least = most / MAX_GRID_LINES;
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * ten).find((step) => step >= least * (1 - 1e-9));
}

class Plot {
  constructor(figure, table) {
    Object.assign(this, read(table), { figure, picture: figure.querySelector(".chart"), at: null });
    const picture = this.picture.querySelector("svg.marks");
    this.height = Math.round(picture.getBoundingClientRect().height);
    this.box = made("div", "plot");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    const title = picture.querySelector("title").textContent;
    this.box.setAttribute("aria-label", `${title}. Arrow keys move, enter leads to the commits, plus zooms in, minus shows all; a finger drawn across bars zooms in. The table below has every figure.`);
    this.tip = made("div", "tip");
    this.tip.hidden = true;
    this.heard = made("span", "said");
    this.heard.setAttribute("role", "status");
    this.whole = made("button", "whole-range", "Whole range");
    this.whole.type = "button";
    this.whole.addEventListener("click", () => this.zoom(0, this.buckets.length - 1));
    this.box.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("blur", () => this.show(null));
    this.picture.before(this.box);
    figure.querySelector(".legend").append(this.whole);
    figure.classList.add("is-live");
    this.from = 0;
    this.to = this.buckets.length - 1;
    this.draw();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.box);
  }

  draw() {
    this.chart?.destroy();
    const count = this.categories.length;
    const tops = this.categories.map((_, place) => this.buckets.map((one) => this.topOf(one, place)));
    this.column = made("div", "column");
    this.column.hidden = true;
    this.chart = new uPlot(
      {
        width: this.box.clientWidth,
        height: this.height,
        padding: [18, 4, 0, 0],
        legend: { show: false },
        cursor: {
          x: false,
          y: false,
          points: { show: false },
          drag: { x: true, y: false, setScale: false },
          bind: { dblclick: () => null },
        },
        select: { show: true, left: 0, top: 0, width: 0, height: 0 },
        scales: {
          x: { time: false, range: () => [this.from - 0.5, this.to + 0.5] },
          y: { range: (_, __, most) => [0, this.end(most)] },
        },
        axes: [
          {
            stroke: colour("ink-2"), font: FONT, size: 38, gap: 6, grid: { show: false }, ticks: { show: false },
            splits: (chart) => this.labelled(chart), values: (_, places) => this.ticks(places),
          },
          {
            stroke: colour("ink-2"), font: FONT, size: MARGIN, gap: 6, ticks: { show: false },
            grid: { stroke: colour("line"), width: 1 }, splits: (_, __, least, most) => this.lines(most),
            values: (_, values) => values.map((value) => value.toLocaleString("en-US", { maximumFractionDigits: 2 })),
          },
        ],
        // The sum of all categories is drawn first, and each smaller sum over it.
        series: [{}, ...this.categories.map((_, place) => this.series(count - 1 - place))],
        hooks: {
          draw: [(chart) => this.finish(chart)],
          setCursor: [(chart) => this.show(chart.cursor.left < 0 ? null : chart.cursor.idx)],
          setSelect: [(chart) => this.select(chart)],
        },
      },
      [this.buckets.map((_, place) => place), ...tops.reverse()],
      this.box,
    );
    this.chart.over.append(this.column);
    this.chart.over.addEventListener("mousedown", (event) => (this.pressed = event.clientX));
    this.chart.over.addEventListener("click", (event) => this.follow(event));
    new Fingers(this);
    this.box.append(this.tip, this.heard);
  }

  series(place) {
    return {
      fill: colour(this.categories[place]),
      stroke: colour("ground"),
      width: 1,
      points: { show: false },
      paths: uPlot.paths.bars({ size: [0.7, MAX_BAR] }),
    };
  }

  // The upper end of a category in a bar; unknown where the bar is.
  topOf(bucket, place) {
    if (bucket.sum === null) return null;
    return bucket.values.slice(0, place + 1).reduce((sum, value) => sum + value, 0);
  }

  end(most) {
    return most > 0 ? Math.ceil(most / stepTo(most) - 1e-9) * stepTo(most) : 1;
  }

  lines(most) {
    const step = stepTo(most);
    return Array.from({ length: Math.round(most / step) + 1 }, (_, number) => number * step);
  }

  get step() {
    return this.chart.over.clientWidth / (this.to - this.from + 1);
  }

  // The buckets whose names fit below the axis.
  labelled(chart) {
    const widest = Math.max(...this.buckets.map((one) => one.tick.length)) * 6 + 14;
    const every = Math.max(1, Math.ceil((widest * (this.to - this.from + 1)) / (chart.bbox.width / uPlot.pxRatio)));
    const places = [];
    for (let place = this.from; place <= this.to; place += every) places.push(place);
    return places;
  }

  // The year stands below the first name, and where it changes.
  ticks(places) {
    return places.map((place, number) => {
      const { tick, year } = this.buckets[place];
      const isNew = number === 0 || year !== this.buckets[places[number - 1]].year;
      return year && isNew ? `${tick}\n${year}` : tick;
    });
  }

  // The line at 0, what is hatched, totals over the bars, and a dash in the place of an unknown one.
  finish(chart) {
    const { ctx, bbox } = chart;
    const ratio = uPlot.pxRatio;
    const step = bbox.width / (this.to - this.from + 1);
    const width = Math.min(0.7 * step, MAX_BAR * ratio);
    ctx.save();
    const base = chart.valToPos(0, "y", true);
    ctx.strokeStyle = colour("line-2");
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, base);
    ctx.lineTo(bbox.left + bbox.width, base);
    ctx.stroke();
    ctx.font = FONT.replace("11px", `${11 * ratio}px`);
    ctx.textAlign = "center";
    ctx.textBaseline = "alphabetic";
    for (let place = this.from; place <= this.to; place++) {
      const bucket = this.buckets[place];
      const middle = chart.valToPos(place, "x", true);
      const top = bucket.sum === null ? base : chart.valToPos(bucket.sum, "y", true);
      if (bucket.part && bucket.sum) this.hatch(ctx, middle - width / 2, top, width, base - top, ratio);
      if (bucket.sum !== null && step < ROOM_OF_TOTAL * ratio) continue;
      ctx.lineWidth = 3 * ratio;
      ctx.lineJoin = "round";
      ctx.strokeStyle = colour("ground");
      ctx.fillStyle = colour(bucket.sum === null ? "ink-3" : "ink");
      const text = bucket.sum === null ? "–" : bucket.total;
      ctx.strokeText(text, middle, top - 6 * ratio);
      ctx.fillText(text, middle, top - 6 * ratio);
    }
    ctx.restore();
  }

  // Lines of the ground across a bar, as in the picture.
  hatch(ctx, left, top, width, height, ratio) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.strokeStyle = colour("ground");
    ctx.lineWidth = 3 * ratio;
    ctx.beginPath();
    for (let at = left - height; at < left + width; at += 6 * Math.SQRT2 * ratio) {
      ctx.moveTo(at, top);
      ctx.lineTo(at + height, top + height);
    }
    ctx.stroke();
    ctx.restore();
  }

  // Point at a bucket; at none with null.
  show(place) {
    const isOutside = place === null || place === undefined || place < this.from || place > this.to;
    this.at = isOutside ? null : place;
    this.tip.hidden = this.column.hidden = isOutside;
    if (isOutside) return;
    const bucket = this.buckets[place];
    const head = made("div", "main", `${bucket.name}${bucket.part ? `, ${bucket.part}` : ""}`);
    const rows = this.categories.map((category, number) => this.row(`key b-${category}`, this.labels[number], bucket.texts[number]));
    this.tip.replaceChildren(head, ...rows.reverse(), this.row("", this.unit, bucket.total));
    if (bucket.link) this.tip.append(made("div", "small", "Click: its commits"));
    this.chart.over.classList.toggle("leads", Boolean(bucket.link));
    this.heard.textContent = "";
    const left = this.chart.valToPos(place, "x") - this.step / 2;
    this.column.style.left = `${left}px`;
    this.column.style.width = `${this.step}px`;
    // Beside the bar, on the side that has room for it.
    const start = MARGIN + left;
    const isRight = start + this.step + this.tip.offsetWidth < this.box.clientWidth;
    this.tip.style.left = `${Math.max(0, isRight ? start + this.step : start - this.tip.offsetWidth)}px`;
  }

  // Lead to the rows behind the bucket. A finger points at it first: another tap follows.
  follow(event) {
    if (this.at === null || Math.abs(event.clientX - this.pressed) >= LEAST_DRAG) return;
    const isPointed = event.pointerType !== "touch" || this.tapped === this.at;
    this.tapped = this.at;
    if (isPointed) this.buckets[this.at].link?.click();
  }

  row(key, name, value) {
    const line = made("div", "tip-row");
    const label = made("span", "");
    if (key) label.append(made("span", key));
    label.append(name);
    line.append(label, made("span", "", value));
    return line;
  }

  zoom(from, to) {
    [this.from, this.to] = [Math.max(0, from), Math.min(this.buckets.length - 1, to)];
    // A button that is hidden loses the focus: the chart takes it.
    if (document.activeElement === this.whole) this.box.focus({ preventScroll: true });
    this.chart.setData(this.chart.data);
    this.whole.classList.toggle("is-open", this.to - this.from + 1 < this.buckets.length);
    this.show(this.at);
  }

  // Zoom to the buckets that somebody dragged across.
  select(chart) {
    const { left, width } = chart.select;
    if (!width) return;
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.zoomBetween(left, left + width);
  }

  zoomBetween(left, right) {
    const [from, to] = [left, right].map((pixel) => Math.round(this.chart.posToVal(pixel, "x"))).sort((one, other) => one - other);
    if (from !== to) this.zoom(from, to);
  }

  press(event) {
    const at = this.at ?? (event.key === "ArrowLeft" ? this.to + 1 : this.from - 1);
    const half = Math.max(0, Math.floor((this.to - this.from) / 4));
    const middle = this.at ?? Math.round((this.from + this.to) / 2);
    const done = {
      ArrowLeft: () => this.hear(Math.max(this.from, at - 1)),
      ArrowRight: () => this.hear(Math.min(this.to, at + 1)),
      Home: () => this.hear(this.from),
      End: () => this.hear(this.to),
      "+": () => this.zoom(Math.max(this.from, middle - half), Math.min(this.to, middle + half)),
      "-": () => this.zoom(0, this.buckets.length - 1),
      Enter: () => this.at !== null && this.buckets[this.at].link?.click(),
      Escape: () => this.show(null),
    }[event.key];
    if (!done || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    done();
  }

  // Point at a bucket, and say it.
  hear(place) {
    this.show(place);
    const { name, part, texts, total } = this.buckets[place];
    const said = this.labels.map((label, number) => `${label} ${texts[number]}`);
    this.heard.textContent = `${name}${part ? `, ${part}` : ""}: ${total} ${this.unit}. ${said.join(", ")}.`;
  }

  fit() {
    if (this.box.clientWidth && this.box.clientWidth !== this.chart.width) {
      this.chart.setSize({ width: this.box.clientWidth, height: this.height });
      this.show(this.at);
    }
  }
}

const shown = new Set();

function plot() {
  for (const one of shown) {
    if (one.figure.isConnected) continue;
    one.chart.destroy();
    one.observer.disconnect();
    shown.delete(one);
  }
  for (const table of document.querySelectorAll("table[data-plots]")) {
    const figure = table.closest(".plotted");
    const isNegative = [...table.querySelectorAll("[data-value]")].some((cell) => Number(cell.dataset.value) < 0);
    if (!figure.classList.contains("is-live") && !isNegative) shown.add(new Plot(figure, table));
  }
}

// Colours are drawn, so another theme draws again.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown.forEach((one) => one.draw()));
document.addEventListener("htmx:after:swap", plot);
plot();
