import { ToolExecutor, ToolRegistry, type ToolOutcome, type ToolSource } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { McpServer, McpSource } from "../../src/index.ts";
import { fixtureHttp, type FixtureHttp } from "../support/fixture-server-http.ts";
import { executorOver, oddServer, opened } from "../support/open-source.ts";

const servers = new Map<string, FixtureHttp>();
beforeAll(async () => {
  for (const era of ["legacy", "modern"] as const) servers.set(era, await fixtureHttp({ era }));
});
afterAll(() => Promise.all(Array.from(servers.values(), (server) => server.close())));

async function open(era: string, more: Partial<McpServer> = {}): Promise<McpSource> {
  const url = servers.get(era)?.url ?? "";
  const all = { name: "fixture", url, resources: true, prompts: true, ...more };
  const source = opened(all as McpServer);
  await source.ready;
  return source;
}

function call(source: ToolSource, name: string, args: object = {}): Promise<ToolOutcome> {
  return executorOver(source).execute({ id: "1", name, arguments: { ...args } });
}

const names = ["get_prompt", "list_prompts", "list_resource_templates", "list_resources"];

describe.each(["legacy", "modern"])("the resources and prompts of a %s server", (era) => {
  it("have tools if they are enabled, which are read-only only if the server is trusted", async () => {
    const source = await open(era);
    const ours = source
      .tools()
      .filter(({ spec }) => "method" in (spec.provenance.origin as object));
    expect(ours.map(({ spec }) => spec.name)).toEqual(
      [...names, "read_resource"].map((name) => `fixture__${name}`),
    );
    expect(source.trustAnnotations).toBe(false);
    expect(source.problems).toEqual([]);
    const without = await open(era, { resources: false, prompts: false });
    expect(without.tools().some(({ spec }) => spec.name.includes("resource"))).toBe(false);
  });

  it("are listed with all pages, without icons for the model", async () => {
    const { result } = completed(await call(await open(era), "fixture__list_resources"));
    const { resources } = result.value as { resources: { uri: string; icons?: object }[] };
    expect(resources).toHaveLength(9);
    expect(resources[0]).toMatchObject({ uri: "fixture://text", icons: [{}] });
    expect(JSON.stringify(result.content)).not.toContain("icons");
    const { result: templates } = completed(
      await call(await open(era), "fixture__list_resource_templates"),
    );
    expect(templates.value).toMatchObject({ resourceTemplates: [{ name: "month" }, {}, {}] });
    expect(
      completed(await call(await open(era), "fixture__list_prompts")).result.value,
    ).toMatchObject({
      prompts: [{ name: "greet", arguments: [{ name: "name", required: true }, {}] }, {}, {}],
    });
  });

  it("are read with their URI and its resolved form as targets", async () => {
    const source = await open(era);
    const executor = new ToolExecutor({
      registry: new ToolRegistry([source]),
      policy: {
        default: "allow",
        rules: [{ effect: "deny", permissions: { kind: "mcp", target: "fixture://many/sec*" } }],
      },
    });
    const codes = await Promise.all(
      ["fixture://many/secret", "fixture://many/a/../secret", "fixture://text"].map(async (uri) => {
        const read = { id: uri, name: "fixture__read_resource", arguments: { uri } };
        const outcome = await executor.execute(read);
        return outcome.status === "failed" ? outcome.error.code : outcome.status;
      }),
    );
    expect(codes.slice(0, 2)).toEqual(["permission_denied", "permission_denied"]);
    expect(codes[2]).toBe("completed");
  });

  it("are listed from the cursor of the model", async () => {
    const outcome = await call(await open(era), "fixture__list_resources", { cursor: "6" });
    expect(completed(outcome).result.value).toMatchObject({
      resources: [{ name: "july" }, { name: "june" }, { name: "may" }],
    });
  });

  it("are read, text and bytes", async () => {
    const source = await open(era);
    const outcome = await call(source, "fixture__read_resource", { uri: "fixture://both" });
    expect(completed(outcome).result).toMatchObject({
      content: [
        { type: "resource", resource: { uri: "fixture://text", text: "Hello" } },
        // For a consumer that supports it: the executor stores binary content.
        { type: "text", text: expect.stringContaining("image/png") },
      ],
      artifacts: [{ mediaType: "image/png" }],
      details: { _meta: { "fixture/read": "fixture://both" } },
    });
    const uri = "fixture://month/june";
    expect(await call(source, "fixture__read_resource", { uri })).toMatchObject({
      result: { content: [{ resource: { text: "The month june." } }] },
    });
  });

  it("that do not exist are an error that the model can act on", async () => {
    expect(
      await call(await open(era), "fixture__read_resource", { uri: "fixture://nothing/at/all" }),
    ).toMatchObject({
      error: {
        code: "not_found",
        message: expect.stringContaining('no resource "fixture://nothing/at/all"'),
      },
    });
  });

  it("are returned with the role of each message", async () => {
    const source = await open(era);
    const args = { name: "greet", arguments: { name: "Bo", month: "june" } };
    expect(completed(await call(source, "fixture__get_prompt", args)).result).toMatchObject({
      content: [{ text: "Greet a person." }, { text: "user:" }, { text: "Greet Bo in june." }],
    });
    const prompt = completed(await call(source, "fixture__get_prompt", { name: "show" })).result;
    expect(prompt.content.map(({ type }) => type)).toEqual([
      "text",
      "text",
      "text",
      "image",
      "text",
      "resource",
    ]);
    expect(await call(source, "fixture__get_prompt", { name: "greet" })).toMatchObject({
      error: { code: "invalid_arguments" },
    });
    const wrong = { name: "greet", arguments: { name: 1 } };
    expect(await call(source, "fixture__get_prompt", wrong)).toMatchObject({
      error: { code: "invalid_arguments" },
    });
  });
});

describe("tools over resources and prompts", () => {
  it("that the server does not have are a warning", async () => {
    const source = opened(oddServer("", { resources: true }));
    await source.ready;
    expect(source.problems).toEqual([
      {
        subject: "odd",
        message:
          "The option resources adds tools for the server's resources, but the server has none.",
        severity: "warning",
      },
    ]);
  });

  it("never take the name of a tool of the server", async () => {
    const source = await open("modern", { rename: { echo: "read_resource" } });
    const { spec } =
      source.tools().find((tool) => tool.spec.name === "fixture__read_resource") ?? {};
    expect(spec?.provenance.origin).toMatchObject({ tool: "echo" });
    expect(source.problems).toMatchObject([{ subject: "fixture__read_resource" }]);
  });
});

function completed(outcome: ToolOutcome): Extract<ToolOutcome, { status: "completed" }> {
  if (outcome.status === "completed") return outcome;
  throw new Error(JSON.stringify(outcome));
}
