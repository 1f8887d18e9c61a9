import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWellFormed } from "../../src/text/utf8.ts";
import { anyText } from "../support/any-text.ts";
import { nextOffset, Shelf, textBytes } from "./support.ts";

const missing = { code: "artifact_missing", audience: "model" };

describe("read_artifact", () => {
  test("returns a text page by page, with the offset of the next page", async () => {
    const shelf = new Shelf(1000);
    const key = await shelf.put("0123456789".repeat(200));
    const first = await shelf.page({ key });
    expect(first.text).toBe("0123456789".repeat(80));
    expect(first.note).toBe('[bytes 0 to 800 of 2000, text/plain; read on with "offset":800]');
    const last = await shelf.page({ key, offset: 1600 });
    expect(last.text).toHaveLength(400);
    expect(last.note).toBe("[bytes 1600 to 2000 of 2000, text/plain; the end]");
    expect(await shelf.page({ key, offset: 2000 })).toEqual({
      text: "",
      note: "[bytes 2000 to 2000 of 2000, text/plain; the end]",
    });
  });

  test("moves an offset inside a character to its beginning, and ends a page with a complete character", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("a日本𝒳z");
    for (const offset of [1, 2, 3]) {
      expect((await shelf.page({ key, offset, limit: 5 })).text).toBe("日");
    }
    for (const offset of [7, 8, 9, 10]) {
      const page = await shelf.page({ key, offset, limit: 1 });
      expect(page).toEqual({
        text: "𝒳",
        note: '[bytes 7 to 11 of 12, text/plain; read on with "offset":11]',
      });
    }
  });

  test("reports that the rest of a truncated text is lost", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("abc", "text/plain", { truncated: true });
    expect((await shelf.page({ key })).note).toContain(
      "the end of what was kept, the rest is lost",
    );
  });

  test("returns bytes as base64, also for text that is not UTF-8", async () => {
    const shelf = new Shelf(600);
    const bytes = Uint8Array.from({ length: 400 }, (_, at) => at % 256);
    for (const type of ["application/pdf", "text/plain"]) {
      const key = await shelf.put(bytes, type);
      const page = await shelf.page({ key, offset: 100 });
      expect(page.note).toBe(`[bytes 100 to 400 of 400, ${type}, in base64; the end]`);
      expect(Buffer.from(page.text, "base64")).toEqual(Buffer.from(bytes.subarray(100)));
    }
  });

  test("returns an image as an image, as long as it is within the limit", async () => {
    const shelf = new Shelf(1000, undefined, { maxMediaBytes: 500 });
    const key = await shelf.put(new Uint8Array(500), "image/png");
    const data = Buffer.alloc(500).toString("base64");
    expect(await shelf.read({ key })).toEqual([{ type: "image", data, mimeType: "image/png" }]);
    expect((await shelf.page({ key, offset: 0 })).note).toContain("in base64");
    const large = await shelf.put(new Uint8Array(501), "image/png");
    expect((await shelf.page({ key: large })).note).toContain("in base64");
  });

  test("finds a text in any case, with line, offset and context", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("alpha\nbéta Needle\n\nneedle (x) end");
    expect(await shelf.page({ key, search: "NEEDLE" })).toEqual({
      text: "line 2, offset 12: alpha béta Needle needle (x) end\nline 4, offset 20: alpha béta Needle needle (x) end",
      note: "[2 matches, no more; read around one by its offset]",
    });
    expect((await shelf.page({ key, search: "(x)" })).text).toContain("line 4, offset 27");
    expect((await shelf.page({ key, search: "needle", offset: 13 })).note).toContain("1 match,");
    expect((await shelf.page({ key, search: "a.*b" })).note).toContain("no matches");
  });

  test("returns no more matches than requested, or than fit, and where to continue", async () => {
    const shelf = new Shelf(1000);
    const key = await shelf.put("needle\n".repeat(500));
    const two = await shelf.page({ key, search: "needle", limit: 2 });
    expect(two.note).toContain('2 matches, more with "offset":14');
    const all = await shelf.read({ key, search: "needle", limit: 400 });
    expect(textBytes(all)).toBeLessThanOrEqual(1000);
    let [count, offset]: [number, number | undefined] = [0, 0];
    while (offset !== undefined) {
      const { text, note } = await shelf.page({ key, search: "needle", limit: 400, offset });
      count += text.split("\n").length;
      offset = nextOffset(note);
    }
    expect(count).toBe(500);
  });

  test("returns the part of a JSON value that a path selects", async () => {
    const shelf = new Shelf(1000);
    const rows = Array.from({ length: 1000 }, (_, id) => ({ id, name: `row ${id}` }));
    const key = await shelf.put(
      JSON.stringify({ rows, text: "日".repeat(2000) }),
      "application/json",
    );
    expect(await shelf.page({ key, path: "$.rows[7]" })).toEqual({
      text: '{"id":7,"name":"row 7"}',
      note: "[bytes 0 to 23 of 23, 1 of its parts; the end]",
    });
    expect((await shelf.page({ key, path: "$.rows[0:3].id" })).text).toBe("[0,1,2]");
    const preview = await shelf.page({ key, path: "$.rows" });
    expect(JSON.parse(preview.text)).toContainEqual({ id: 0, name: "row 0" });
    expect(preview.note).toContain("a preview of 27781 bytes");
    const page = await shelf.page({ key, path: "$.rows", offset: 100, limit: 20 });
    expect(page.text).toBe(JSON.stringify(rows).slice(100, 120));
    const text = await shelf.page({ key, path: "$.text" });
    expect(text.text).toBe("日".repeat(266));
    expect(nextOffset(text.note)).toBe(798);
    expect((await shelf.page({ key, path: "$.nothing" })).note).toContain("nothing is there");
  });

  test("returns parts that contain one another once or twice, and not once per match", async () => {
    const shelf = new Shelf(2000);
    let value: unknown = "x".repeat(1_000_000);
    for (let depth = 0; depth < 900; depth++) value = [value];
    const key = await shelf.put(JSON.stringify(value), "application/json");
    const { text, note } = await shelf.page({ key, path: "$..*" });
    expect(text.length).toBeLessThanOrEqual(1800);
    expect(note).toContain("the first 2 parts of more");
  });

  test.each([
    [{ path: "$[" }, "at character 3"],
    [{ path: "x" }, "expected $"],
    [{ path: "$" }, "is no JSON"],
    [{ offset: 5 }, "offset 5 is beyond the end"],
  ])("explains how to repair %o", async (args, words) => {
    const shelf = new Shelf();
    const key = await shelf.put("text");
    const refused = shelf.read({ key, ...args });
    await expect(refused).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(refused).rejects.toThrow(words);
  });

  test.each([{ search: "x" }, { path: "$" }])(
    "explains that bytes cannot be read with %o",
    async (args) => {
      const shelf = new Shelf();
      const key = await shelf.put(new Uint8Array([0xff, 0xfe]), "image/png");
      await expect(shelf.read({ key, ...args })).rejects.toThrow("read it by offset");
    },
  );

  test.each([
    "",
    "art_1",
    "../../etc/passwd",
    "art_ABCDEF0123456789abcdef0123456789",
    "x".repeat(1e6),
    7,
  ])("finds no artifact for key %#", async (key) => {
    await expect(new Shelf().read({ key })).rejects.toMatchObject(missing);
  });

  test("EX18: reports a deleted and an expired artifact in the same words", async () => {
    const shelf = new Shelf();
    const key = await shelf.put("text");
    const other = await shelf.put("text");
    await shelf.store.delete(key);
    const words = async (key: string): Promise<string> => shelf.read({ key }).then(String, String);
    const deleted = await words(key);
    expect(deleted).toContain("repeat the call that made it");
    shelf.clock.skip(1000);
    expect([await words(other), await words(`art_${"0".repeat(32)}`)]).toEqual([deleted, deleted]);
  });
});

describe("the pages of an artifact", () => {
  const anyBytes = fc.uint8Array({ maxLength: 600 });
  const lone = fc.constantFrom("\ud800", "\udfff", "", "\ufeff", "\0");
  const stored = fc.oneof(
    fc.tuple(anyText(200), lone, anyText(200)).map((parts) => parts.join("")),
    anyBytes,
  );

  test("together equal the stored data, each of them within the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.constantFrom("text/plain", "application/json", "application/octet-stream"),
        fc.integer({ min: 400, max: 700 }),
        fc.option(fc.integer({ min: 1, max: 300 })),
        async (data, mediaType, most, limit) => {
          const shelf = new Shelf(most);
          const key = await shelf.put(data, mediaType);
          const given = typeof data === "string" ? Buffer.from(data, "utf8") : Buffer.from(data);
          const read = Buffer.alloc(given.length);
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const args = { key, offset, ...(limit === null ? {} : { limit }) };
            expect(textBytes(await shelf.read(args))).toBeLessThanOrEqual(most);
            const { text, note } = await shelf.page(args);
            expect(isWellFormed(text)).toBe(true);
            // A page states where it begins: after a page in base64 that may be inside a character.
            const part = Buffer.from(text, note.includes("in base64") ? "base64" : "utf8");
            const [, start, end] = (/bytes (\d+) to (\d+)/.exec(note) ?? []).map(Number);
            expect(start).toBeLessThanOrEqual(offset);
            expect(end).toBe((start ?? 0) + part.length);
            part.copy(read, start);
            offset = nextOffset(note);
          }
          expect(read.equals(given)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("are within every limit, whatever is requested", async () => {
    const args = fc.record(
      {
        offset: fc.nat(700),
        limit: fc.integer({ min: 1, max: 1000 }),
        search: fc.constantFrom("a", "1", "\u{1d4b3}", "."),
        path: fc.constantFrom("$", "$..*", "$[0]", "$.a"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.json(), anyText(300)),
        fc.integer({ min: 4, max: 500 }),
        args,
        async (data, most, args) => {
          const shelf = new Shelf(most);
          const key = await shelf.put(data, "application/json");
          const content = await shelf.read({ key, ...args }).catch(() => []);
          expect(textBytes(content)).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 300 },
    );
  });
});
