// The packed extension's own code starts the real server, and the protocol's real client out of it speaks with that.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { pathToFileURL } = require("node:url");

const EXTENSION = process.env.EXTENSION;
const FOLDER = process.env.FOLDER;
const { command } = require(path.join(EXTENSION, "server.js"));
const protocol = require(path.join(EXTENSION, "node_modules", "vscode-languageserver-protocol", "lib", "node", "main.js"));

const SCRIPT = fs.readFileSync(path.join(FOLDER, "user-data.sh"), "utf8");

test("it underlines, and says what the boot does", async () => {
  const server = command({ command: [], stack: "", fleet: "" });
  const running = spawn(server.command, server.args, { cwd: FOLDER });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(running.stdout), new protocol.StreamMessageWriter(running.stdin),
  );
  const told = new Promise(done => connection.onNotification(protocol.PublishDiagnosticsNotification.type, done));
  connection.listen();
  const rootUri = pathToFileURL(FOLDER).href;
  await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri, capabilities: {}, workspaceFolders: null,
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const uri = `${rootUri}/user-data.sh`;
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "shellscript", version: 1, text: SCRIPT },
  });
  const { diagnostics } = await told;
  assert.deepEqual(diagnostics.map(each => each.code), ["registry-resolvable"]);
  const hover = await connection.sendRequest(protocol.HoverRequest.type, {
    textDocument: { uri }, position: { line: 4, character: 2 },
  });
  assert.match(hover.contents.value, /scripts, at the end of cloud-init\n\s+5 {2}joins/);
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const code = await new Promise(done => running.on("exit", done));
  assert.equal(code, 0);
});
