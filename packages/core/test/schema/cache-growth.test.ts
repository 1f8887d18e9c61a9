import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";
import { SchemaCache } from "../../src/schema/schema-cache.ts";

const createSchema = (at: number): JsonSchema => ({ type: "object", title: `schema ${at}` });

describe("RE09: the cache of schemas", () => {
  test("is bounded, and evicts the least recently used one first", () => {
    const compiled: string[] = [];
    const cache = new SchemaCache({
      compile(schema): CompiledSchema {
        compiled.push(String(schema["title"]));
        return () => undefined;
      },
    });
    for (let at = 0; at < 1000; at++) void cache.get(createSchema(at));
    void cache.get(createSchema(0));
    void cache.get(createSchema(1000));
    expect(compiled).toHaveLength(1001);
    void cache.get(createSchema(0));
    expect(compiled).toHaveLength(1001);
    void cache.get(createSchema(1));
    expect(compiled.at(-1)).toBe("schema 1");
  });

  test("evicts nothing while the schema is referenced", () => {
    let compiled = 0;
    const cache = new SchemaCache({ compile: () => ((compiled += 1), () => undefined) });
    const held = createSchema(0);
    const check = cache.get(held);
    for (let at = 1; at < 5000; at++) void cache.get(createSchema(at));
    expect(cache.get(held)).toBe(check);
    expect(compiled).toBe(5000);
  });

  test("releases memory: thousands of schemas, used once each, leave nothing behind", () => {
    const printed = execFileSync(
      process.execPath,
      ["--expose-gc", "--conditions=@toolweave/source", "--input-type=module", "-e", script],
      { encoding: "utf8", cwd: import.meta.dirname },
    );
    const { first, last } = JSON.parse(printed) as { first: number; last: number };
    // 2,000 more would take some 10 MB if they were cached.
    expect(last - first).toBeLessThan(4_000_000);
  });
});

const script = `
  import { ajvValidator } from "@toolweave/core";
  import { SchemaCache } from "../../src/schema/schema-cache.ts";
  const cache = new SchemaCache(ajvValidator());
  const use = async (from, to) => {
    for (let at = from; at < to; at++) {
      await cache.get({ type: "object", properties: { ["p" + at]: { type: "string", minLength: 2 } }, required: ["p" + at] });
    }
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  await use(0, 1500);
  const first = await use(1500, 3500);
  const last = await use(3500, 5500);
  console.log(JSON.stringify({ first, last }));
`;
