// Runs the script of a page against a server, with just enough of a browser. Standard input is one line of JSON: the
// script, the address of the page, the server, cookies and storage to begin with, and the button (or buttons, in turn) to press at the end.
// Standard output is what the person would see.
const given = JSON.parse(await new Promise((found) => process.stdin.once("data", (text) => found(String(text)))));
const cookies = new Map(Object.entries(given.cookies));
const requests = [];
let pending = 0;

class Element {
  constructor() {
    Object.assign(this, { children: [], dataset: { done: given.done }, listeners: {}, textContent: "" });
  }
  addEventListener(kind, work) { this.listeners[kind] = work; }
  replaceChildren(...made) { this.children = made; }
  append(...made) { this.children.push(...made); }
  get elements() { return new Proxy({}, { get: (_, name) => document.querySelector(`[name=${name}]`) }); }
}

const found = new Map();
globalThis.document = {
  querySelector(name) {
    if (given.without?.includes(name)) return null;
    if (!found.has(name)) found.set(name, new Element());
    return found.get(name);
  },
  createElement: () => new Element(),
};
const page = new URL(given.page);
globalThis.location = {
  pathname: page.pathname, search: page.search, hash: page.hash, left: null, assign(to) { this.left = to; },
};
globalThis.history = {
  replaceState(_, __, to) {
    const shown = new URL(to, page);
    Object.assign(location, { hash: shown.hash, search: shown.search });
  },
};
const kept = new Map(Object.entries(given.storage));
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, value),
  removeItem: (name) => kept.delete(name),
};
globalThis.FormData = class {
  constructor() { this.fields = Object.entries(given.fields ?? {}); }
  [Symbol.iterator]() { return this.fields[Symbol.iterator](); }
};
const real = globalThis.fetch;
globalThis.fetch = async (path, options = {}) => {
  pending += 1;
  requests.push({ path, body: options.body ? JSON.parse(options.body) : null });
  try {
    const headers = { ...options.headers, Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await real(given.server + path, { ...options, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return answer;
  } finally {
    pending -= 1;
  }
};
async function quiet() {
  for (let still = 0; still < 5; still += 1) {
    await new Promise((done) => setTimeout(done, 20));
    if (pending) still = 0;
  }
}

new Function(given.script)();
await quiet();
const within = (one) => [one, ...one.children.flatMap(within)];
const elements = () => ["#ways", "#kept"].flatMap((name) => document.querySelector(name).children).flatMap(within);
const buttons = () => elements().filter((one) => one.listeners.click);
async function press(label) {
  await buttons().find((one) => one.textContent === label).listeners.click();
  await quiet();
}
if (given.press === "submit") {
  await document.querySelector("form").listeners.submit({ preventDefault() {}, submitter: { value: "signIn" } });
} else if (given.press) {
  for (const label of [given.press].flat()) await press(label);
}
await quiet();
console.log(JSON.stringify({
  said: document.querySelector("output").textContent,
  buttons: buttons().map((one) => one.textContent),
  texts: elements().filter((one) => !one.listeners.click).map((one) => one.textContent).filter(Boolean),
  shows_form: document.querySelector("form").hidden === false,
  left: location.left,
  hash: location.hash,
  storage: Object.fromEntries(kept),
  cookies: Object.fromEntries(cookies),
  requests,
}));
