import { dynamicTool, jsonSchema, tool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiSource } from "../../src/index.ts";
import { sourced, readText } from "../support/sourced.ts";

const nothing = z.object({});
const execute = (): string => "done";

describe("tools of the SDK in a registry", () => {
  it("have their descriptions, and their origin", async () => {
    const { source } = await sourced(
      {
        look: tool({
          title: "Look",
          description: "Look at an exhibit.",
          inputSchema: z.object({ id: z.int().describe("The exhibit.") }),
          outputSchema: z.object({ name: z.string() }),
          metadata: { shelf: 3 },
          execute: ({ id }) => ({ name: `exhibit ${id}` }),
        }),
      },
      { id: "museum", annotations: { look: { readOnlyHint: true } } },
    );
    expect(source.problems).toEqual([]);
    expect(source.tools().map(({ spec }) => spec)).toMatchObject([
      {
        name: "look",
        title: "Look",
        description: "Look at an exhibit.",
        inputSchema: {
          type: "object",
          properties: { id: { type: "integer", description: "The exhibit." } },
          required: ["id"],
        },
        outputSchema: { type: "object", properties: { name: { type: "string" } } },
        annotations: { readOnlyHint: true },
        provenance: { adapter: "ai-sdk", source: "museum", origin: { tool: "look" } },
        metadata: { shelf: 3 },
      },
    ]);
  });

  it("take their schemas from Zod, Standard Schema and plain JSON Schema", async () => {
    const standard = {
      "~standard": {
        version: 1,
        vendor: "example",
        // The library decides, and not its JSON Schema.
        validate: (value: unknown) =>
          typeof (value as { a?: unknown }).a === "string"
            ? { value }
            : { issues: [{ message: "must be string", path: ["a"] }] },
        jsonSchema: {
          input: () => ({ type: "object", properties: { a: { type: "string" } } }),
          output: () => ({ type: "object" }),
        },
      },
    } as const;
    const { source, call } = await sourced({
      zod: tool({ inputSchema: z.object({ a: z.string() }), execute }),
      standard: tool({ inputSchema: standard as never, execute }),
      plain: tool({
        inputSchema: jsonSchema({ type: "object", properties: { a: { type: "string" } } }),
        execute,
      }),
      late: dynamicTool({
        inputSchema: jsonSchema(async () => ({
          type: "object",
          properties: { a: { type: "string" } },
        })),
        execute: async () => "done",
      }),
    });
    expect(source.problems).toEqual([]);
    for (const { spec } of source.tools()) {
      expect(spec.inputSchema).toMatchObject({ properties: { a: { type: "string" } } });
      expect(readText(await call(spec.name, { a: "x" }))).toBe("done");
      expect(await call(spec.name, { a: 1 })).toMatchObject({
        error: { code: "invalid_arguments" },
      });
    }
  });

  it("accept what their library accepts, such as a pattern with flags", async () => {
    const { call } = await sourced({
      code: tool({ inputSchema: z.object({ a: z.string().regex(/^[a-z]+$/i) }), execute }),
    });
    expect(readText(await call("code", { a: "ABC" }))).toBe("done");
    expect(await call("code", { a: "1" })).toMatchObject({ error: { code: "invalid_arguments" } });
  });

  it("keep the meaning of a tuple of draft-07", async () => {
    const { call } = await sourced({
      place: tool({
        inputSchema: jsonSchema({
          type: "object",
          properties: { at: { type: "array", items: [{ type: "number" }, { type: "string" }] } },
        }),
        execute,
      }),
    });
    expect(readText(await call("place", { at: [1, "north"] }))).toBe("done");
    expect(await call("place", { at: ["north", 1] })).toMatchObject({
      error: { code: "invalid_arguments" },
    });
  });

  it("have unique names that every provider accepts", async () => {
    const set: ToolSet = Object.fromEntries([
      ["look at", tool({ inputSchema: nothing, execute })],
      ["look_at", tool({ inputSchema: nothing, execute })],
      ["__proto__", tool({ inputSchema: nothing, execute })],
    ]);
    const { source } = await sourced(set, { prefix: "museum" });
    const names = source.tools().map(({ spec }) => spec.name);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
    expect(names).toContain("museum__look_at");
    for (const name of names) expect(name).toMatch(/^museum__[A-Za-z0-9_-]+$/);
  });

  it("have the descriptions for their context", async () => {
    const guided = tool({
      description: ({ context }: { context: { guide: string } }) => `Ask ${context.guide}.`,
      inputSchema: nothing,
      contextSchema: z.object({ guide: z.string() }),
      execute,
    });
    const { source } = await sourced({ guided }, { toolsContext: { guided: { guide: "Emma" } } });
    expect(source.tools()[0]?.spec.description).toBe("Ask Emma.");
    const without = await sourced({ guided });
    expect(without.source.tools()).toEqual([]);
    expect(without.source.problems).toMatchObject([
      { subject: "guided", message: expect.stringContaining("toolsContext") },
    ]);
  });

  it("exclude unsupported ones, with the reason", async () => {
    const provider = {
      type: "provider",
      id: "anthropic.web_search",
      args: {},
      inputSchema: nothing,
    } as const;
    const { source } = await sourced({
      search: { ...provider, isProviderExecuted: true, outputSchema: z.string() } as never,
      bash: { ...provider, id: "anthropic.bash", isProviderExecuted: false, execute } as never,
      list: tool({ inputSchema: jsonSchema({ type: "array" }), execute }),
      big: tool({ inputSchema: z.object({ n: z.bigint() }), execute }),
      good: tool({ inputSchema: nothing, execute }),
    });
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["good"]);
    const problems = Object.fromEntries(source.problems.map((one) => [one.subject, one.message]));
    expect(Object.keys(problems)).toEqual(["search", "bash", "list", "big"]);
    expect(problems["search"]).toContain("anthropic.web_search");
    expect(problems["search"]).toContain("runs there");
    expect(problems["bash"]).toContain("means nothing to other models");
    expect(problems["list"]).toContain("not the schema of an object");
    expect(problems["big"]).toMatch(/bigint/i);
  });

  it("have no output schema if it cannot be serialized", async () => {
    const { source, call } = await sourced({
      count: dynamicTool({
        inputSchema: nothing,
        outputSchema: z.bigint(),
        execute: async () => 3,
      } as Parameters<typeof dynamicTool>[0]),
    });
    expect(source.problems).toMatchObject([{ subject: "count", severity: "warning" }]);
    expect(readText(await call("count"))).toBe("3");
  });

  it("cause a warning for hints of a tool that does not exist", async () => {
    const { source } = await sourced(
      { look: tool({ inputSchema: nothing, execute }) },
      { annotations: { lok: { readOnlyHint: true } } },
    );
    expect(source.problems).toMatchObject([{ subject: "lok", severity: "warning" }]);
  });

  it("are listed again when the source is refreshed", async () => {
    let rooms = 1;
    const { source } = await sourced(() =>
      Promise.resolve({
        look: tool({ inputSchema: nothing, execute }),
        visit: tool({ description: `${rooms} rooms`, inputSchema: nothing, execute }),
      }),
    );
    const before = source.tools();
    await source.refresh();
    expect(source.tools()).toBe(before);
    rooms = 2;
    await source.refresh();
    expect(source.tools().map(({ spec }) => spec.description)).toEqual(["", "2 rooms"]);
    expect(source.tools()[0]).toBe(before[0]);
  });

  it("are not created from other values, or with unknown options", () => {
    expect(() => aiSource(undefined as never)).toThrow("aiSource takes the SDK's tools by name");
    expect(() => aiSource({}, { annotation: {} } as never)).toThrow("Did you mean annotations?");
  });

  it("that cannot be loaded are a source that does not become ready", async () => {
    const source = aiSource(() => Promise.reject(new Error("the server is away")));
    await expect(source.ready).rejects.toMatchObject({ code: "unavailable" });
  });
});
