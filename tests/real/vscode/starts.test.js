// The extension beside an editor of paper: what it asks, what it runs, what it starts. EXTENSION is its folder.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");

const EXTENSION = process.env.EXTENSION;
const { command, ways } = require(path.join(EXTENSION, "server.js"));
const NONE = { command: [], package: "nodeworthy[lsp]", stack: "", fleet: "" };

// A folder with programs of these names, that write down how they were called.
function programs(...names) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "programs-"));
  for (const each of names) {
    fs.writeFileSync(path.join(folder, each), `#!/bin/sh\necho "$0 $*" >> ${folder}/called\n`, { mode: 0o755 });
  }
  fs.writeFileSync(path.join(folder, "called"), "");
  return folder;
}

test("what is set is started, and else what is on PATH", () => {
  const environment = { PATH: programs("nodeworthy") };
  assert.deepEqual(command(NONE, environment), { command: "nodeworthy", args: ["lsp"] });
  assert.deepEqual(command({ ...NONE, command: ["uvx", "nodeworthy"], stack: "dev", fleet: "f.yaml" }, environment), {
    command: "uvx",
    args: ["nodeworthy", "lsp", "--stack", "dev", "--fleet", "f.yaml"],
  });
  assert.equal(command(NONE, { PATH: programs() }), null);
  assert.equal(command(NONE, {}), null);
});

test("a folder or a text of that name is no program", () => {
  const folder = programs();
  fs.mkdirSync(path.join(folder, "nodeworthy"));
  const other = programs();
  fs.writeFileSync(path.join(other, "nodeworthy"), "", { mode: 0o644 });
  assert.equal(command(NONE, { PATH: [folder, other].join(path.delimiter) }), null);
});

test("only the ways that this machine has are offered", () => {
  assert.deepEqual(ways(NONE, { PATH: programs() }), []);
  assert.deepEqual(ways(NONE, { PATH: programs("pipx") }).map(each => each.install), [["pipx", "install", "nodeworthy[lsp]"]]);
  assert.deepEqual(ways({ ...NONE, package: "/src[lsp]" }, { PATH: programs("uvx") })[0].start, ["uvx", "--from", "/src[lsp]", "nodeworthy"]);
});

// An editor in which somebody answers every question with `answer`.
function editor(answer, given = {}) {
  const said = { started: [], asked: [], warned: [], failed: [], updated: [], commands: {} };
  const settings = { command: [], package: "nodeworthy[lsp]", stack: "", fleet: "", ...given };
  const configuration = {
    get: name => settings[name],
    update: async (name, value) => {
      settings[name] = value;
      said.updated.push([name, value]);
      await said.changed?.({ affectsConfiguration: () => true });
    },
  };
  const vscode = {
    ProgressLocation: { Notification: 15 },
    commands: { registerCommand: (name, does) => { said.commands[name] = does; return { dispose() {} }; } },
    window: {
      // Whoever is asked the same again has had enough.
      showInformationMessage: async (text, ...offers) => (said.asked.push([text, ...offers]) === 1 ? answer : undefined),
      showWarningMessage: async text => { said.warned.push(text); },
      showErrorMessage: async text => { said.failed.push(text); },
      withProgress: (_, does) => does(),
    },
    workspace: {
      getConfiguration: () => configuration,
      onDidChangeConfiguration: does => { said.changed = does; return { dispose() {} }; },
    },
  };
  class LanguageClient {
    constructor(id, name, server, options) { said.started.push({ server, options }); }
    async start() { if (said.fails) throw new Error("exit code 2"); }
    async stop() { said.stopped = (said.stopped ?? 0) + 1; }
  }
  const load = Module._load;
  Module._load = function (name, ...rest) {
    if (name === "vscode") return vscode;
    if (name === "vscode-languageclient/node") return { LanguageClient };
    return load.call(this, name, ...rest);
  };
  const main = path.join(EXTENSION, "extension.js");
  delete require.cache[require.resolve(main)];
  const extension = require(main);
  Module._load = load;
  return { said, extension, context: { subscriptions: [] } };
}

async function opened(names, answer, given) {
  const folder = programs(...names);
  const made = editor(answer, given);
  const before = process.env.PATH;
  process.env.PATH = folder;
  try {
    await made.extension.activate(made.context);
  } finally {
    process.env.PATH = before;
  }
  return { ...made.said, called: fs.readFileSync(path.join(folder, "called"), "utf8") };
}

test("a server that is there is started, and nothing is asked", async () => {
  const said = await opened(["nodeworthy", "uvx"]);
  assert.deepEqual(said.started.map(each => each.server), [{ command: "nodeworthy", args: ["lsp"] }]);
  assert.ok(said.started[0].options.documentSelector.some(each => each.language === "shellscript" && each.scheme === "file"));
  assert.deepEqual([said.asked, said.called], [[], ""]);
});

test("nothing is installed without a yes", async () => {
  for (const answer of [undefined, "Not now"]) {
    const said = await opened(["uvx", "pipx"], answer);
    assert.equal(said.asked.length, 1);
    assert.deepEqual([said.started, said.updated, said.called], [[], [], ""]);
  }
});

test("uvx starts it from then on", async () => {
  const said = await opened(["uvx"], "Run it with uvx");
  assert.deepEqual(said.updated, [["command", ["uvx", "--from", "nodeworthy[lsp]", "nodeworthy"]]]);
  assert.deepEqual(said.started.map(each => each.server), [
    { command: "uvx", args: ["--from", "nodeworthy[lsp]", "nodeworthy", "lsp"] },
  ]);
});

test("pipx installs it, and where that brought no server it is asked again", async () => {
  const said = await opened(["pipx"], "Install it with pipx");
  assert.match(said.called, /^\S+\/pipx install nodeworthy\[lsp\]\n$/);
  assert.deepEqual([said.asked.length, said.started, said.updated], [2, [], []]);
});

test("where nothing can install it, it says what one does", async () => {
  const said = await opened([]);
  assert.match(said.warned[0], /pip install "nodeworthy\[lsp\]"/);
  assert.deepEqual([said.asked, said.started], [[], []]);
});
