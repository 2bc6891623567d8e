// The playground's own script: loads Python when it is first needed, hands it what was pasted, shows what it says.
"use strict";

// Pyodide takes a page that has a global `read` or `load` for a shell: no name of ours is global.
(() => {
const playground = globalThis.nodeworthyPlayground;
const PARTS = ["python.js", "interpreter.js", "library.js", "nodeworthy.js"];
const SECTIONS = [["timeline", "Timeline"], ["findings", "Findings"], ["explanation", "Explanation"]];
const found = id => document.getElementById(id);

const load = source => new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = source;
  script.onload = resolve;
  script.onerror = () => reject(new Error(`${source} could not be loaded: it belongs beside this page`));
  document.head.append(script);
});

// What was packed so that it is a script: base64 of gzip.
const unpacked = name => {
  const packed = Uint8Array.from(atob(playground.parts[name]), letter => letter.charCodeAt(0));
  delete playground.parts[name];
  return new Response(packed).body.pipeThrough(new DecompressionStream("gzip"));
};
const bytes = async name => new Uint8Array(await new Response(unpacked(name)).arrayBuffer());

// Python asks for its files by address; all of them are here, and no other is to be had.
playground.fetch = async address => {
  const name = String(address).split("/").pop();
  if (!(name in playground.parts)) throw new Error(`${name}: this page fetches nothing`);
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(unpacked(name), {headers: {"Content-Type": type}});
};

// The smallest there is. Pyodide would wait for ever for one that is not allowed.
const refuseWithoutWebAssembly = () => {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    throw new Error("this browser, or a policy of who serves the page, allows no WebAssembly ('wasm-unsafe-eval')");
  }
};

const begin = async () => {
  refuseWithoutWebAssembly();
  for (const each of PARTS) await load(each);
  const python = await playground.loadPyodide({
    indexURL: "./",
    createPyodideModule: playground.createPyodideModule,
    lockFileContents: playground.lock,
    stdin: () => "",
  });
  python.FS.mkdirTree("/site");
  python.unpackArchive(await bytes("nodeworthy.zip"), "zip", {extractDir: "/site"});
  python.runPython("import sys; sys.path.insert(0, '/site')");
  const reading = python.pyimport("reading");
  reading.begin();
  return reading;
};

let loading;
const ready = () => loading ??= begin().catch(problem => {
  loading = undefined;
  throw problem;
});
// What is said must be on the screen before Python takes the page for itself.
const shown = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));

const element = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (name) made.className = name;
  return made;
};

const written = answer => {
  const block = element("div");
  const heading = element("p");
  heading.append(element("code", `$ ${answer.command}`), " ", element("span", `exit code ${answer.code}`, `code-${answer.code}`));
  block.append(heading);
  if (answer.out.trim()) block.append(element("pre", answer.out));
  if (answer.err.trim()) block.append(element("pre", answer.err, "said"));
  return block;
};

const folded = (answer, rule) => {
  const block = element("details");
  block.append(element("summary", rule), written(answer));
  const more = element("a", "with a failing and a passing example");
  more.href = `../rules/${encodeURIComponent(rule)}.html`;
  block.append(more);
  return block;
};

const show = said => {
  const blocks = [];
  for (const [name, title] of SECTIONS) {
    if (!said[name].length) continue;
    const section = element("section");
    section.id = name;
    section.append(element("h2", title));
    for (const each of said[name]) {
      const rule = said.rules.find(id => each.command === `nodeworthy explain ${id}`);
      section.append(rule ? folded(each, rule) : written(each));
    }
    blocks.push(section);
  }
  found("answers").replaceChildren(...blocks);
};

const refuse = why => {
  found("refused").textContent = why;
  found("refused").hidden = !why;
};

const pasted = () => [found("text").value, found("name").value, found("fleet").value];

// One at a time, and always with an end that is said.
const work = async (saying, doing) => {
  const buttons = [found("read"), found("make-link")];
  buttons.forEach(each => { each.disabled = true; });
  found("link").hidden = true;
  refuse("");
  found("status").textContent = loading ? saying : "Loading Python…";
  try {
    await shown();
    const reading = await ready();
    found("status").textContent = saying;
    await shown();
    const said = JSON.parse(doing(reading));
    if (said?.refused) refuse(said.refused);
    return said;
  } catch (problem) {
    refuse(`This page could not do it: ${problem.message}`);
    return {refused: true};
  } finally {
    found("status").textContent = "";
    buttons.forEach(each => { each.disabled = false; });
  }
};

const read = async () => {
  found("answers").replaceChildren();
  const said = await work("Reading…", reading => reading.read(...pasted()));
  if (!said.refused) show(said);
};

const link = async () => {
  const said = await work("Looking for secrets…", reading => reading.link(...pasted()));
  if (said.refused) return;
  found("address").value = `${location.href.split("#")[0]}#${said.fragment}`;
  found("link").hidden = false;
  found("address").select();
};

const fill = (text, name, fleet) => {
  found("text").value = text;
  found("name").value = name;
  found("fleet").value = fleet;
  found("nodes").open = Boolean(fleet);
};

const follow = async () => {
  const fragment = location.hash.slice(1);
  if (!fragment) return;
  const given = await work("Reading the link…", reading => reading.linked(fragment));
  if (!given) return refuse("This link is cut off, or none of this page's.");
  if (given.refused) return;
  fill(...given);
  await read();
};

for (const each of playground.examples) found("example").append(new Option(each.title, each.title));
found("example").addEventListener("change", event => {
  const chosen = playground.examples.find(each => each.title === event.target.value);
  if (chosen) fill(chosen.text, chosen.name, chosen.fleet);
});
found("form").addEventListener("submit", event => {
  event.preventDefault();
  read();
});
found("make-link").addEventListener("click", link);
addEventListener("hashchange", follow);
follow();
})();
