// What a page does beyond its HTML: nothing here is needed to read it.
"use strict";

// A service that is away: the page stays, says so, and comes back by itself.
const away = {
  delay: 5,
  timer: 0,
  begin() {
    if (document.getElementById("away")) return;
    const note = document.createElement("div");
    note.id = "away";
    note.className = "note away";
    note.setAttribute("role", "alert");
    note.innerHTML = "<b>The service cannot be reached.</b> <span></span> <button type=button>Try now</button>";
    note.querySelector("button").addEventListener("click", () => away.ask());
    document.body.prepend(note);
    away.wait(away.delay);
  },
  wait(seconds) {
    clearTimeout(away.timer);
    document.querySelector("#away span").textContent =
      `You stay signed in. Next attempt in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
    away.timer = setTimeout(() => (seconds > 1 ? away.wait(seconds - 1) : away.ask()), 1000);
  },
  async ask() {
    clearTimeout(away.timer);
    const ready = document.querySelector("meta[name=ready]").content;
    try {
      const answer = await fetch(ready, { cache: "no-store" });
      if (answer.ok) return location.reload();
    } catch (error) {
      // Still away: the note says when the next attempt is.
    }
    away.delay = Math.min(60, away.delay * 2);
    away.wait(away.delay);
  },
};

document.addEventListener("htmx:error", () => away.begin());
document.addEventListener("htmx:response:error", (event) => {
  if (event.detail.ctx?.response?.status >= 502) away.begin();
});

// A button that copies the text of a field.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
  button.textContent = "Copied";
});

// A filter that is a menu applies when it is chosen; without scripts its button does.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.menu");
  if (form) form.requestSubmit();
});

// A link whose secret stands after the #, which only the browser knows: the form sends it, and it leaves the address bar.
const takes = document.querySelector("form[data-takes-link]");
if (takes && location.hash.length > 1) {
  takes.elements.link.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
  takes.requestSubmit();
}

// The rules of a new password, marked while somebody types. The service judges it again when the form is sent.
const checked = document.querySelector("form[data-checks]");
if (checked) {
  let asked = 0;
  const mark = async () => {
    const now = ++asked;
    const { password, email } = checked.elements;
    const answer = await fetch(checked.dataset.checks, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password: password.value, email: email.value }),
    }).catch(() => null);
    if (!answer?.ok || now !== asked) return;
    for (const rule of (await answer.json()).rules) {
      const line = checked.querySelector(`[data-rule=${rule.rule}]`);
      line.classList.toggle("met", rule.isMet && password.value !== "");
      line.querySelector(".said").textContent = line.className ? "met: " : "missing: ";
    }
  };
  let waits = 0;
  checked.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(mark, 150);
  });
}

// Charts to point at: their scripts are loaded by the first page that has one.
const plots = document.querySelector("meta[name=plots]");
function needPlots() {
  if (!plots || plots.dataset.loaded || !document.querySelector("table[data-plots]")) return;
  plots.dataset.loaded = "true";
  for (const address of plots.content.split(" ")) {
    const script = document.createElement("script");
    script.src = plots.dataset.root + address;
    script.async = false; // in their order
    document.head.append(script);
  }
}
document.addEventListener("htmx:after:swap", needPlots);
needPlots();
