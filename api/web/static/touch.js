// Fingers on a chart: one that moves sideways marks buckets to zoom into, two spread the range or draw it together.
// Up and down the page scrolls, as everywhere (touch-action in style.css).
"use strict";

const LEAST_DRAG = 12; // pixels: less is a tap, which points at a bucket
const LEAST_SPREAD = 24; // pixels between two fingers from which on their distance says how far to zoom

class Fingers {
  // `plot` has the chart, its range (`from`, `to`) and `zoom(from, to)`.
  constructor(plot) {
    Object.assign(this, { plot, at: new Map(), spread: null });
    const { over } = plot.chart;
    over.addEventListener("pointerdown", (event) => this.touch(event));
    over.addEventListener("pointermove", (event) => this.move(event));
    over.addEventListener("pointerup", (event) => this.lift(event));
    // The page began to scroll.
    over.addEventListener("pointercancel", () => this.forget());
  }

  place(event) {
    return event.clientX - this.plot.chart.over.getBoundingClientRect().left;
  }

  touch(event) {
    if (event.pointerType !== "touch" || this.at.size === 2) return;
    const place = this.place(event);
    this.at.set(event.pointerId, { began: place, now: place });
    if (this.at.size < 2) return;
    this.mark(0, 0);
    this.spread = [...this.at.values()].map((finger) => this.plot.chart.posToVal(finger.now, "x"));
  }

  move(event) {
    const finger = this.at.get(event.pointerId);
    if (!finger) return;
    finger.now = this.place(event);
    if (this.at.size === 2) this.pinch();
    else if (!this.spread) this.mark(finger.began, finger.now);
  }

  lift(event) {
    const finger = this.at.get(event.pointerId);
    if (!finger) return;
    const isDrag = !this.spread && Math.abs(finger.now - finger.began) >= LEAST_DRAG;
    this.at.delete(event.pointerId);
    if (this.at.size === 0) this.forget();
    if (isDrag) this.plot.zoomBetween(finger.began, finger.now);
  }

  forget() {
    this.at.clear();
    this.spread = null;
    this.mark(0, 0);
  }

  // Each finger stays on what it touched first.
  pinch() {
    const [one, other] = [...this.at.values()].map((finger) => finger.now);
    const [first, second] = this.spread;
    if (Math.abs(other - one) < LEAST_SPREAD || (other - one) * (second - first) <= 0) return;
    const { chart } = this.plot;
    const each = (second - first) / (other - one);
    const from = first - one * each;
    const to = from + chart.over.clientWidth * each;
    // The range begins and ends half a bucket beside the middle of one.
    const [start, end] = [Math.round(from + 0.5), Math.round(to - 0.5)];
    if (end >= start) this.plot.zoom(start, end);
  }

  mark(began, now) {
    const { chart } = this.plot;
    const width = Math.abs(now - began);
    const isTap = width < LEAST_DRAG;
    const area = { left: Math.min(began, now), top: 0, width: isTap ? 0 : width, height: isTap ? 0 : chart.over.clientHeight };
    chart.setSelect(area, false);
  }
}
