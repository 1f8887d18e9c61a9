import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { notesCommand } from "./support/notes.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { project } from "./support/project.ts";

let shop: PetShop;
beforeAll(async () => void (shop = await openPetShop()));
afterAll(() => shop.close());

test("init asks for sources, and writes a trusted configuration that works at once", async () => {
  const { env, read, run } = project();
  const { io, stdin, said, stdout } = captureIo({
    terminal: true,
    env: { ...env, PETS: "secret" },
  });
  const ended = runCli(["init"], io);
  await said("(Enter: none): ");
  stdin.write("1\n");
  await said("URL or file: ");
  stdin.write(`${shop.documentUrl}\n`);
  await said("The API wants an API key in the header x-key (scheme shopKey). Environment variable");
  stdin.write("a b-c\n");
  await said("Only names");
  stdin.write("PETS\n");
  await said("One more");
  stdin.write("2\n");
  await said("URL, command or package: ");
  stdin.write(`${notesCommand}\n`);
  await said("Environment variables that it needs");
  stdin.write("\n");
  await said("One more", 2);
  stdin.write("\n");
  expect(await ended).toBe(0);
  expect(stdout()).toMatch(/^Added local with 8 tools\.\nAdded notes with 2 tools\.\nWritten: /);
  const config = JSON.parse(read("toolweave.json")) as { openapi: object; mcpServers: object };
  expect(config.openapi).toEqual({
    local: { url: shop.documentUrl, auth: { schemes: { shopKey: "${PETS}" } } },
  });
  expect(Object.keys(config.mcpServers)).toEqual(["notes"]);
  expect(read("toolweave.json")).not.toContain("secret");
  const listed = await run(["inspect"], { env: { PETS: "secret" } });
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  expect(listed.stdout).toContain("10 tools, no problems");
});

test("init writes an example of own tools, and replaces no file", async () => {
  const { run, read, write } = project();
  write("tools.ts", "// mine\n");
  const first = await run(["init", "--tools"]);
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("npm install @toolweave/core");
  expect(read("tools.ts")).toBe("// mine\n");
  expect(JSON.parse(read("toolweave.json"))).toMatchObject({ tools: ["./tools.ts"] });
  const before = read("toolweave.json");
  const again = await run(["init", "--yes"]);
  expect([again.code, read("toolweave.json")]).toEqual([2, before]);
  expect(again.stderr).toContain("`toolweave add` adds a source to it");
});

test("init --tools writes a package.json for ES modules, unless there is one", async () => {
  const { run, read, folder } = project();
  const { stdout } = await run(["init", "--tools"]);
  expect(stdout).toContain(`Written: ${join(folder, "package.json")}\n`);
  expect(JSON.parse(read("package.json"))).toEqual({ private: true, type: "module" });
  const other = project();
  other.write("package.json", '{"name":"mine"}');
  expect((await other.run(["init", "--tools"])).code).toBe(0);
  expect(other.read("package.json")).toBe('{"name":"mine"}');
});

test("init without a terminal needs a source or --yes", async () => {
  const { folder, run } = project();
  expect((await run(["init"])).code).toBe(2);
  expect((await run(["init", "--openapi", "missing.yaml"])).code).toBe(2);
  expect((await run(["init", "--mcp", "/missing/program"])).code).toBe(4);
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
  const { code, stdout } = await run(["init", "--yes", "--json"]);
  const config = join(folder, "toolweave.json");
  expect([code, JSON.parse(stdout)]).toEqual([0, { config, files: [config], sources: [] }]);
});

test("add keeps comments and formatting, and the trust of its owner", async () => {
  const { run, read, write, folder } = project();
  write(
    "toolweave.json",
    '{\n\t// servers\n\t"mcpServers": {},\n\t"policy": "readOnly", // ours\n}\n',
  );
  await run(["trust", "--yes"]);
  const added = await run(["add", notesCommand, "--name", "notes"]);
  expect(added).toMatchObject({
    code: 0,
    stderr: `toolweave: 2 of 2 tools ask before they run, since its hints are not trusted; to let its read-only tool run, set mcp.notes.trustAnnotations to true in ${folder}/toolweave.json.\n`,
  });
  expect(added.stdout).toBe(`Added notes with 2 tools. Written to ${folder}/toolweave.json.\n`);
  expect(read("toolweave.json")).toMatch(
    /^\{\n\t\/\/ servers\n\t"mcpServers": \{\n\t\t"notes": \{\n[^]*\t\t\}\n\t\},\n\t"policy": "readOnly", \/\/ ours\n\}\n$/,
  );
  expect((await run(["inspect"])).code).toBe(0);
});

test("add does not trust a file that was here before", async () => {
  const { run, write } = project();
  write("toolweave.json", JSON.stringify({ mcpServers: { other: { command: "/bin/false" } } }));
  const added = await run(["add", notesCommand]);
  expect(added.code).toBe(0);
  expect(added.stderr).toContain("`toolweave trust`");
  expect((await run(["inspect"])).code).toBe(3);
});

test("add finds out whether a document or a server answers at a URL", async () => {
  const { run, read } = project();
  const { code, stdout } = await run(["add", shop.documentUrl, "--json", "--name", "pets"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      block: "openapi",
      name: "pets",
      tools: expect.arrayContaining(["add_pet", "get_pet"]),
      trusted: true,
    },
  ]);
  const before = read("toolweave.json");
  const neither = await run(["add", `${shop.url}/pets/7`]);
  expect(neither.code).toBe(4);
  expect(neither.stderr).toMatch(/neither an OpenAPI document nor an MCP server/);
  expect(read("toolweave.json")).toBe(before);
});

test.each<[what: string, argv: readonly string[], entry: unknown]>([
  [
    "a package of npm",
    ["@scope/server-memory@1.2", "--env", "API_KEY"],
    {
      mcpServers: {
        memory: {
          command: "npx",
          args: ["-y", "@scope/server-memory@1.2"],
          env: { API_KEY: "${API_KEY}" },
        },
      },
    },
  ],
  [
    "a package with arguments",
    ["--", "mcp-server-crates@1", "--root", "."],
    {
      mcpServers: {
        crates: { command: "npx", args: ["-y", "mcp-server-crates@1", "--root", "."] },
      },
    },
  ],
  [
    "a command line",
    ["sh -c 'exit 1'"],
    { mcpServers: { sh: { command: "sh", args: ["-c", "exit 1"] } } },
  ],
  [
    "a server with a URL",
    ["https://mcp.example.com/mcp", "--auth", "bearer:$TOKEN"],
    {
      mcpServers: {
        example: {
          url: "https://mcp.example.com/mcp",
          headers: { Authorization: "Bearer ${TOKEN}" },
        },
      },
    },
  ],
  [
    "a document with several credentials",
    [
      "https://api.example.com/x",
      "--kind",
      "openapi",
      "--auth",
      "basic:$USER:$PASS",
      "--auth",
      "apiKey:key=$KEY",
    ],
    {
      openapi: {
        example: {
          url: "https://api.example.com/x",
          auth: {
            basic: { username: "${USER}", password: "${PASS}" },
            schemes: { key: "${KEY}" },
          },
        },
      },
    },
  ],
])("add writes %s", async (_, argv, entry) => {
  const { run, read } = project();
  expect(await run(["add", "--no-check", ...argv])).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(read("toolweave.json"))).toEqual(entry);
});

test.each<[argv: readonly string[], error: RegExp]>([
  [
    ["https://api.example.com/v1", "--auth", "bearer:a-literal-secret"],
    /must name an environment variable/,
  ],
  [["https://user:a-literal-secret@api.example.com/v1"], /without user name/],
  [["npx some-server", "--env", "KEY=a-literal-secret"], /name of an environment variable/],
  [["npx some-server", "--auth", "bearer:$TOKEN"], /Programs: --env/],
  [["https://api.example.com/v1"], /--kind openapi or --kind mcp/],
  [["missing.yaml"], /There is no file/],
  [["npx some-server", "--name", "a b"], /letters, digits/],
])("add refuses %j without writing", async (argv, error) => {
  const { run, folder } = project();
  const { code, stderr } = await run(["add", "--no-check", ...argv]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(error)]);
  expect(stderr).not.toContain("a-literal-secret");
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
});

test("a source that cannot be loaded is added if a person wants that", async () => {
  const { env, read } = project();
  const { io, stdin, said } = captureIo({ terminal: true, env });
  const ended = runCli(["add", "/missing/program"], io);
  await said("Environment variables that it needs");
  stdin.write("\n");
  await said("Add it nevertheless?");
  stdin.write("y\n");
  expect(await ended).toBe(0);
  expect(read("toolweave.json")).toContain("/missing/program");
});

test("Ctrl-C at a question writes nothing", async () => {
  const { env, folder } = project();
  const { io, said, interrupt } = captureIo({ terminal: true, env });
  const ended = runCli(["init"], io);
  await said("(Enter: none): ");
  interrupt.abort();
  expect(await ended).toBe(130);
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
});

test("a configuration that is no JSON is not changed", async () => {
  const { folder, run, read } = project();
  writeFileSync(join(folder, "toolweave.json"), '{ "openapi": ');
  const { code, stderr } = await run(["add", "--no-check", "npx some-server"]);
  expect([code, read("toolweave.json")]).toEqual([2, '{ "openapi": ']);
  expect(stderr).toMatch(/toolweave\.json:1:\d+/);
});

test("a word that is no program runs the package of that name only if a person agrees", async () => {
  const { env, read, run, folder } = project();
  const refused = await run(["add", "--no-check", "nosuchprogram --x"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("nosuchprogram is not on PATH. If it is a package of npm, write"),
  ]);
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
  const { io, stdin, said } = captureIo({ terminal: true, env });
  const ended = runCli(["add", "--no-check", "nosuchprogram --x"], io);
  await said("Run the package of that name from npm with npx -y? [y/N] ");
  stdin.write("y\n");
  await said("Environment variables that it needs");
  stdin.write("\n");
  expect(await ended).toBe(0);
  expect(JSON.parse(read("toolweave.json"))).toMatchObject({
    mcpServers: { nosuchprogram: { args: ["-y", "nosuchprogram", "--x"] } },
  });
});

test("of npm's error about a missing package, the decisive line is printed", async () => {
  const { run, write, folder, env } = project();
  write(
    "bin/npx",
    "#!/bin/sh\necho 'npm error code E404' >&2\necho 'npm error 404 Not Found - GET https://registry' >&2\nexit 1\n",
  );
  chmodSync(join(folder, "bin/npx"), 0o755);
  const { code, stderr } = await run(["add", "npx -y nosuchprogram"], {
    env: { PATH: `${join(folder, "bin")}${delimiter}${env["PATH"]}` },
  });
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^toolweave: npm has no package nosuchprogram\.\n/),
  ]);
});

test("add refuses a source that the configuration has already, unless it gets another name", async () => {
  const { run, read, folder } = project();
  for (const source of [notesCommand, shop.documentUrl]) {
    expect(
      (
        await run([
          "add",
          "--no-check",
          "--kind",
          source === notesCommand ? "mcp" : "openapi",
          source,
        ])
      ).code,
    ).toBe(0);
    const before = read("toolweave.json");
    const again = await run(["add", source]);
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringMatching(
        /has this (?:URL|command) already: use --name to add it again under another prefix, or change it in /,
      ),
    ]);
    expect(again.stderr).toContain(join(folder, "toolweave.json"));
    expect(read("toolweave.json")).toBe(before);
  }
  expect((await run(["add", shop.documentUrl, "--name", "second"])).code).toBe(0);
});

test("a variable that is not set is reported by its name", async () => {
  const { run } = project();
  const { code, stderr } = await run([
    "init",
    "--openapi",
    shop.documentUrl,
    "--auth",
    "bearer:$PETS",
  ]);
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(
      /^toolweave: The environment variable PETS is not set, and the source needs it\./,
    ),
  ]);
  expect(stderr).not.toContain("toolweave.json");
});

test("init writes nothing if no source was added", async () => {
  const { env, folder } = project();
  const { io, stdin, said, stderr } = captureIo({ terminal: true, env });
  const ended = runCli(["init"], io);
  await said("(Enter: none): ");
  stdin.write("1\n");
  await said("URL or file: ");
  stdin.write("missing.yaml\n");
  await said("(Enter: none): ", 2);
  stdin.write("\n");
  expect(await ended).toBe(0);
  expect(stderr()).toContain("Nothing was written.");
  expect(existsSync(join(folder, "toolweave.json"))).toBe(false);
});

test.each<[string, object | undefined, string, object | undefined]>([
  [
    "a user name",
    { type: "http", scheme: "basic" },
    "a user name with its password (scheme s)",
    { basic: { username: "${A}", password: "${B}" } },
  ],
  [
    "a bearer token",
    { type: "http", scheme: "bearer" },
    "a bearer token (scheme s)",
    { bearer: "${A}" },
  ],
  [
    "an OAuth token",
    { type: "oauth2", flows: {} },
    "an OAuth access token (scheme s)",
    { bearer: "${A}" },
  ],
  ["nothing", undefined, "", undefined],
])("add asks for %s if the document requires that", async (_, scheme, question, auth) => {
  const { env, read, write, folder } = project();
  const components = scheme === undefined ? {} : { securitySchemes: { s: scheme } };
  const info = { title: "Shop", version: "1" };
  const paths = { "/x": { get: { operationId: "x", responses: {} } } };
  write(
    "shop.json",
    JSON.stringify({
      openapi: "3.1.0",
      info,
      servers: [{ url: "https://api.example.com" }],
      components,
      paths,
    }),
  );
  const { io, stdin, said } = captureIo({ terminal: true, env });
  const ended = runCli(["add", join(folder, "shop.json")], io);
  if (auth !== undefined) {
    await said(question);
    stdin.write("A B\n");
  }
  expect(await ended).toBe(0);
  const config = JSON.parse(read("toolweave.json")) as { openapi: Record<string, unknown> };
  expect(config.openapi["shop"]).toEqual({
    file: "./shop.json",
    ...(auth === undefined ? {} : { auth }),
  });
});
