import { expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { project, type Project } from "./support/project.ts";

/** Secrets in the files of hosts. None may appear in an output or in the configuration. */
const secrets = [
  "ghp_0123456789abcdef",
  "another-one",
  "s3cret-in-an-argument",
  "in-the-path-0a1b2c3d4e5f6",
  "b34rer",
];

const claude = {
  mcpServers: {
    github: {
      command: "npx",
      args: ["-y", "server-github"],
      env: { GITHUB_TOKEN: secrets[0], LOG_LEVEL: "info" },
      autoApprove: ["all"],
    },
    enterprise: {
      command: "npx",
      args: ["-y", "server-github"],
      env: { GITHUB_TOKEN: secrets[1] },
    },
    database: { command: "npx", args: ["-y", "pg", `postgresql://ada:${secrets[2]}@db/shop`] },
    itself: { command: "npx", args: ["-y", "toolweave", "serve", "--config", "x.json"] },
  },
};

const codex = `
[mcp_servers.github]
command = "npx"
args = ["-y", "server-github"]
env_vars = ["GITHUB_TOKEN"]
[mcp_servers.docs]
url = "https://docs.example.com/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { "X-Api-Key" = "${secrets[4]}", "X-Org" = "acme" }
enabled = false
`;

/** The files of three hosts. */
function hosts(): Project {
  const made = project();
  made.write(".mcp.json", JSON.stringify(claude));
  made.write(".codex/config.toml", codex);
  made.write(
    ".vscode/mcp.json",
    `{ "servers": {
      // with an input
      "search": { "type": "http", "url": "https://search.example.com/${secrets[3]}/mcp?key=${secrets[4]}&lang=en" },
      "tracker": { "command": "tracker", "env": { "KEY": "\${input:tracker-key}", "NAME": "\${env:USER}" } },
    } }`,
  );
  return made;
}

const imported = {
  github: {
    command: "npx",
    args: ["-y", "server-github"],
    env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", LOG_LEVEL: "info" },
  },
  enterprise: {
    command: "npx",
    args: ["-y", "server-github"],
    env: { GITHUB_TOKEN: "${ENTERPRISE_GITHUB_TOKEN}" },
  },
  search: {
    url: "https://search.example.com/${SEARCH_URL_KEY}/mcp?key=${SEARCH_KEY}&lang=en",
  },
  tracker: { command: "tracker", env: { KEY: "${input:tracker-key}", NAME: "${env:USER}" } },
  "github-codex": {
    command: "npx",
    args: ["-y", "server-github"],
    env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
  },
  docs: {
    url: "https://docs.example.com/mcp",
    headers: {
      "X-Api-Key": "${DOCS_X_API_KEY}",
      "X-Org": "acme",
      Authorization: "Bearer ${DOCS_TOKEN}",
    },
    disabled: true,
  },
};

test("import adds the servers of all hosts, with references in place of secrets", async () => {
  const { run, read } = hosts();
  const { code, stdout, stderr } = await run(["import", "--yes"]);
  expect(code).toBe(0);
  expect(JSON.parse(read("toolweave.json"))).toEqual({ mcpServers: imported });
  expect(stderr).toContain("- database: omitted: its arguments contain a secret");
  expect(stderr).toContain("- itself: omitted: it is toolweave itself");
  expect(stderr).toContain("+ github (as github-codex): npx -y server-github");
  expect(stdout).toContain(
    "DOCS_TOKEN, DOCS_X_API_KEY, ENTERPRISE_GITHUB_TOKEN, GITHUB_TOKEN, SEARCH_KEY, SEARCH_URL_KEY, TRACKER_KEY, USER\n",
  );
  for (const secret of secrets) {
    expect([stdout, stderr, read("toolweave.json")].join("\n")).not.toContain(secret);
  }
  const again = await run(["import", "--yes"]);
  expect(again.stdout).toMatch(/^Nothing to add to /);
});

test("import --json lists what would be added, and writes with --yes only", async () => {
  const { run, read } = hosts();
  const plan = await run(["import", "--json", "--from", "codex"]);
  expect(JSON.parse(plan.stdout)).toMatchObject({
    written: false,
    added: [
      { host: "codex", name: "github", as: "github", variables: ["GITHUB_TOKEN"] },
      { host: "codex", name: "docs", as: "docs", variables: ["DOCS_X_API_KEY", "DOCS_TOKEN"] },
    ],
    skipped: [],
    variables: ["DOCS_TOKEN", "DOCS_X_API_KEY", "GITHUB_TOKEN"],
  });
  expect(() => read("toolweave.json")).toThrow("ENOENT");
  const done = await run(["import", "--json", "--yes", "--from", "vscode"]);
  expect(JSON.parse(done.stdout)).toMatchObject({
    written: true,
    added: [{ name: "search" }, { name: "tracker" }],
  });
  expect(
    Object.keys((JSON.parse(read("toolweave.json")) as { mcpServers: object }).mcpServers),
  ).toEqual(["search", "tracker"]);
});

test("a no adds nothing, and neither does a missing terminal", async () => {
  const { run, env, read } = hosts();
  expect((await run(["import"])).code).toBe(2);
  const { io, stdin, said } = captureIo({ terminal: true, env });
  const ended = runCli(["import"], io);
  await said("Add these 6 servers? [y/N]");
  stdin.write("n\n");
  expect(await ended).toBe(3);
  expect(() => read("toolweave.json")).toThrow("ENOENT");
});

test("a file of a host that is not valid does not hide the others", async () => {
  const { run, write, read } = hosts();
  write(".mcp.json", "{");
  const { code, stderr } = await run(["import", "--yes"]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/\.mcp\.json:1:2: this is not valid JSON/);
  expect(read("toolweave.json")).toContain('"search"');
  expect((await run(["import", "--yes", "--from", "claude-code"])).code).toBe(2);
});
