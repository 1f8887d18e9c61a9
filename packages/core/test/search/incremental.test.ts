import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tool } from "@toolweave/core";
import { ToolIndex } from "@toolweave/core/search";
import { findable, harbour, taking, createToolset } from "./tools.ts";

const words = [
  "berth",
  "list",
  "vessel",
  "tides",
  "weather",
  "GitHub",
  "reserve",
  "booking",
  "the",
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(" "));
const tool = fc
  .record({
    name: fc.constantFrom("a", "b", "c", "berth_x", "tideY"),
    description: text,
    key: text,
  })
  .map(({ name, description, key }) => findable(name, description, taking(key)));
const tools = fc.uniqueArray(tool, { maxLength: 5, selector: ({ spec }) => spec.name });

/** A tool whose reads are counted. */
function counted(name: string, read: string[]): Tool {
  const plain = findable(name, "");
  const spec = Object.defineProperty({ ...plain.spec }, "description", {
    get: () => (read.push(name), "Counts."),
  });
  return { ...plain, spec };
}

describe("an index that is updated", () => {
  it("finds the same as a new one, with the same scores, after any changes", () => {
    fc.assert(
      fc.property(fc.array(tools, { minLength: 1, maxLength: 6 }), text, (steps, query) => {
        const kept = new ToolIndex();
        for (const step of steps) {
          kept.update(createToolset(...step));
          const fresh = new ToolIndex();
          fresh.update(createToolset(...step));
          expect(kept.size).toBe(step.length);
          expect(kept.search(query, 5)).toEqual(fresh.search(query, 5));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("reads the names of parameters without creating the model's schema", () => {
    const plain = findable("a", "");
    const made: string[] = [];
    const spec = Object.defineProperty({ ...plain.spec }, "inputSchema", {
      get: () => (made.push("a"), { type: "object" }),
    });
    const index = new ToolIndex();
    index.update(createToolset({ ...plain, spec, argumentsSchema: taking("draught").inputSchema }));
    expect(index.search("draught", 1).map(({ name }) => name)).toEqual(["a"]);
    expect(made).toEqual([]);
  });

  it("reads only new and changed tools", () => {
    const read: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => counted(name, read)) as [Tool, Tool, Tool];
    const index = new ToolIndex();
    index.update(createToolset(a, b));
    expect(read.splice(0)).toEqual(["a", "b"]);
    index.update(createToolset(a, b, c));
    expect(read.splice(0)).toEqual(["c"]);
    index.update(createToolset(a, counted("b", read)));
    expect(read.splice(0)).toEqual(["b"]);
    index.search("counts", 5);
    expect(read).toEqual([]);
  });

  it("reads nothing of a toolset that it already has", () => {
    const toolset = createToolset(...harbour);
    const index = new ToolIndex();
    index.update(toolset);
    toolset.names = toolset.get = () => expect.fail("it was read");
    index.update(toolset);
    expect(index.size).toBe(harbour.length);
  });

  it("does not find removed tools, nor former texts of a tool", () => {
    const index = new ToolIndex();
    index.update(createToolset(findable("a", "Ropes."), findable("b", "Sails.")));
    index.update(createToolset(findable("b", "Masts.")));
    expect(index.search("ropes", 5)).toEqual([]);
    expect(index.search("sails", 5)).toEqual([]);
    expect(index.search("a", 5)).toEqual([]);
    expect(index.search("masts", 5)).toHaveLength(1);
    index.update(createToolset());
    expect(index.size).toBe(0);
    expect(index.search("masts", 5)).toEqual([]);
  });
});
