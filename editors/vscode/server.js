// How the server is started, and how one comes by it. Knows nothing of the editor, so that a test can run it alone.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

// What the server is shown; it sees itself what a file is.
const LANGUAGES = [
  "shellscript", "yaml", "helm", "terraform", "opentofu", "hcl", "packer", "makefile", "toml", "json", "ini", "properties",
  "plaintext", "dockercompose",
];

const named = name => (process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name]);

// Where a program is, as a shell would find it; null where there is none.
function found(name, environment = process.env) {
  for (const folder of (environment.PATH ?? "").split(path.delimiter).filter(Boolean)) {
    for (const each of named(name)) {
      const file = path.join(folder, each);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        if (fs.statSync(file).isFile()) return file;
      } catch {
        // It is not this one.
      }
    }
  }
  return null;
}

// The program and its arguments; null where nothing is set and nothing is on PATH.
function command(settings, environment = process.env) {
  const words = settings.command.length ? settings.command : found("nodeworthy", environment) ? ["nodeworthy"] : null;
  if (!words) return null;
  const options = [...(settings.stack ? ["--stack", settings.stack] : []), ...(settings.fleet ? ["--fleet", settings.fleet] : [])];
  return { command: words[0], args: [...words.slice(1), "lsp", ...options] };
}

// The ways to come by it that this machine has: what is run once (or nothing), and what starts the server from then on.
function ways(settings, environment = process.env) {
  const known = [];
  if (found("uvx", environment)) {
    known.push({ title: "Run it with uvx", install: null, start: ["uvx", "--from", settings.package, "nodeworthy"] });
  }
  if (found("pipx", environment)) {
    known.push({ title: "Install it with pipx", install: ["pipx", "install", settings.package], start: [] });
  }
  return known;
}

module.exports = { LANGUAGES, command, found, ways };
