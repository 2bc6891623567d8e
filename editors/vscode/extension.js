// The VS Code extension: starts `nodeworthy lsp`, and asks before it installs anything.
"use strict";

const { execFile } = require("node:child_process");
const { ProgressLocation, commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { LANGUAGES, command, ways } = require("./server");

let client;

function settings() {
  const given = workspace.getConfiguration("nodeworthy");
  const [words, name, stack, fleet] = ["command", "package", "stack", "fleet"].map(each => given.get(each));
  return { command: words ?? [], package: name || "nodeworthy[lsp]", stack, fleet };
}

async function start() {
  const server = command(settings());
  if (!server) return offer();
  const documentSelector = LANGUAGES.map(language => ({ scheme: "file", language }));
  client = new LanguageClient("nodeworthy", "nodeworthy", server, { documentSelector });
  try {
    await client.start();
  } catch (problem) {
    window.showErrorMessage(
      `nodeworthy: the server did not start (${problem.message}). It needs the extra \`lsp\`: pip install "nodeworthy[lsp]".`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop().catch(() => undefined);
  await start();
}

async function offer() {
  const known = ways(settings());
  if (!known.length) {
    window.showWarningMessage(
      'nodeworthy is not on PATH, and neither is uv nor pipx, which would install it. pip install "nodeworthy[lsp]", or set nodeworthy.command.',
    );
    return;
  }
  const chosen = await window.showInformationMessage(
    `nodeworthy is not on PATH. Get ${settings().package}?`,
    ...known.map(each => each.title),
    "Not now",
  );
  const way = known.find(each => each.title === chosen);
  if (way) await take(way);
}

async function take(way) {
  try {
    if (way.install) await run(way.install);
  } catch (problem) {
    window.showErrorMessage(`nodeworthy could not be installed: ${problem.message}`);
    return;
  }
  // A setting that changes starts it anew.
  if (way.start.length) await workspace.getConfiguration("nodeworthy").update("command", way.start, true);
  else await restart();
}

function run([program, ...words]) {
  const options = { location: ProgressLocation.Notification, title: [program, ...words].join(" ") };
  return window.withProgress(options, () => new Promise((resolve, reject) => {
    execFile(program, words, (problem, _, said) => (problem ? reject(new Error(said.trim() || problem.message)) : resolve()));
  }));
}

exports.activate = async context => {
  context.subscriptions.push(
    commands.registerCommand("nodeworthy.restart", restart),
    commands.registerCommand("nodeworthy.install", offer),
    workspace.onDidChangeConfiguration(event => event.affectsConfiguration("nodeworthy") && restart()),
  );
  await start();
};

exports.deactivate = stop;
