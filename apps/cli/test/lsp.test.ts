import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LspClient, type Message } from "./support/lsp-client.ts";
import { tempFolder } from "./support/temp-file.ts";

const initialize = { processId: null, rootUri: null, capabilities: {} };

async function start(): Promise<LspClient> {
  const client = new LspClient();
  await client.request("initialize", initialize);
  client.notify("initialized");
  return client;
}

function open(client: LspClient, uri: string, text: string): void {
  const languageId = uri.endsWith(".star") ? "starlark" : "markdown";
  client.notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
}

const isDiagnostics =
  (uri: string, version: number) =>
  ({ method, params }: Message): boolean =>
    method === "textDocument/publishDiagnostics" &&
    params?.["uri"] === uri &&
    params["version"] === version;

const tool = `---
parameters:
  path: { type: string, required: true, description: The file. }
script: |
  def run(args):
      text = fs.read(args["path"])
      return {"size": len(texd)}
---
The size of a file.
`;

test("a session with a markdown file and a program", async () => {
  const client = new LspClient(["--stdio"]);
  const { capabilities, serverInfo } = (await client.request("initialize", initialize)) as {
    capabilities: object;
    serverInfo: object;
  };
  expect(capabilities).toMatchObject({
    positionEncoding: "utf-16",
    textDocumentSync: { openClose: true, change: 2 },
    renameProvider: { prepareProvider: true },
  });
  expect(serverInfo).toMatchObject({ name: "toolweave" });
  client.notify("initialized");

  const folder = tempFolder();
  const toUri = (name: string): string => pathToFileURL(join(folder, name)).href;
  const markdown = toUri("file_size.md");
  open(client, markdown, tool);
  const first = await client.find(isDiagnostics(markdown, 1));
  expect(first.params?.["diagnostics"]).toEqual([
    expect.objectContaining({
      code: "unused_variable",
      severity: 2,
      range: { start: { line: 5, character: 6 }, end: { line: 5, character: 10 } },
    }),
    expect.objectContaining({
      code: "undefined_name",
      severity: 1,
      source: "toolweave",
      range: { start: { line: 6, character: 26 }, end: { line: 6, character: 30 } },
    }),
  ]);
  client.notify("textDocument/didChange", {
    textDocument: { uri: markdown, version: 2 },
    contentChanges: [
      { range: { start: { line: 6, character: 29 }, end: { line: 6, character: 30 } }, text: "t" },
    ],
  });
  expect((await client.find(isDiagnostics(markdown, 2))).params?.["diagnostics"]).toEqual([]);

  const at = (uri: string, line: number, character: number): object => ({
    textDocument: { uri },
    position: { line, character },
  });
  const hover = await client.request("textDocument/hover", at(markdown, 5, 17));
  expect(hover).toMatchObject({
    contents: { value: expect.stringContaining("def fs.read(path: str) -> str") as string },
  });
  const completions = (await client.request("textDocument/completion", at(markdown, 5, 27))) as {
    label: string;
  }[];
  expect(completions.map(({ label }) => label)).toEqual(["path"]);
  const parameter = await client.request("textDocument/definition", at(markdown, 5, 27));
  expect(parameter).toEqual({
    uri: markdown,
    range: { start: { line: 2, character: 2 }, end: { line: 2, character: 6 } },
  });

  writeFileSync(join(folder, "lib.star"), "def twice(x):\n    return 2 * x\n");
  const program = toUri("main.star");
  open(client, program, 'load("lib.star", "twice")\nnumber = twice( 2 )\nother = number\n');
  expect(await client.request("textDocument/definition", at(program, 1, 11))).toMatchObject({
    uri: toUri("lib.star"),
    range: { start: { line: 0, character: 4 } },
  });
  const options = { tabSize: 4, insertSpaces: true };
  const edits = await client.request("textDocument/formatting", {
    textDocument: { uri: program },
    options,
  });
  expect(edits).toEqual([
    {
      range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
      newText: "number = twice(2)\n",
    },
  ]);
  const renamed = await client.request("textDocument/rename", {
    ...at(program, 2, 9),
    newName: "count",
  });
  expect(renamed).toEqual({
    changes: {
      [program]: [
        expect.objectContaining({ newText: "count" }),
        expect.objectContaining({ newText: "count" }),
      ],
    },
  });
  const refused = await client.ask("textDocument/rename", {
    ...at(program, 2, 9),
    newName: "for",
  });
  expect(refused.error).toEqual({ code: -32803, message: "for is a word of the language." });
  client.notify("textDocument/didClose", { textDocument: { uri: markdown } });

  expect((await client.ask("shutdown")).result).toBeNull();
  expect((await client.ask("textDocument/hover", at(program, 1, 11))).error?.code).toBe(-32600);
  client.notify("exit");
  expect(await client.exit()).toBe(0);
});

test("a request before initialize, an unknown one and a cancelled one are answered with their errors", async () => {
  const client = new LspClient();
  const params = { textDocument: { uri: "file:///a.star" }, position: { line: 0, character: 0 } };
  expect((await client.ask("textDocument/hover", params)).error?.code).toBe(-32002);
  await client.request("initialize", initialize);
  expect((await client.ask("textDocument/codeLens", params)).error?.code).toBe(-32601);
  expect((await client.ask("textDocument/hover", params)).result).toBeNull();
  // Both arrive together, so that the request waits when it is cancelled.
  const bodies = [
    { jsonrpc: "2.0", id: "a", method: "textDocument/hover", params },
    { jsonrpc: "2.0", id: "b", method: "textDocument/hover", params },
    { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: "b" } },
  ].map((message) => JSON.stringify(message));
  client.write(bodies.map((body) => `Content-Length: ${body.length}\r\n\r\n${body}`).join(""));
  expect((await client.find(({ id }) => id === "b")).error?.code).toBe(-32800);
  expect((await client.find(({ id }) => id === "a")).result).toBeNull();
});

test("malformed input does not end the server", async () => {
  const client = await start();
  client.write("Content-Length: 5\r\n\r\n{oops");
  client.write("Content-Length: 2\r\n\r\n[]");
  client.send({ method: 7 });
  client.notify("textDocument/didChange", { textDocument: null });
  client.notify("textDocument/didOpen", { wrong: true });
  const wrong = await client.ask("textDocument/hover", { nothing: 1 });
  expect(wrong.error?.code).toBe(-32603);
  const log = await client.find(({ method }) => method === "window/logMessage");
  expect(log.params).toMatchObject({ type: 1 });
  const uri = "file:///work/a.star";
  open(client, uri, "x = 1\n");
  const symbols = await client.request("textDocument/documentSymbol", { textDocument: { uri } });
  expect(symbols).toMatchObject([{ name: "x" }]);
});

test("the server ends with its client", async () => {
  const client = await start();
  client.process.stdin.end();
  expect(await client.exit()).toBe(1);
});

test("exit without shutdown is a failure", async () => {
  const client = await start();
  client.notify("exit");
  expect(await client.exit()).toBe(1);
});
