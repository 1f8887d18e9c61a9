import { describe, expect, test } from "vitest";
import { toOutputText } from "../../src/processes/output-buffer.ts";
import { openEffects } from "../support/open-effects.ts";
import { openWorkspace, readText } from "../support/open-workspace.ts";

const long = "x".repeat(99);

describe("a file with bytes that are not UTF-8", () => {
  test.each([70_000, 1_048_575, 1_048_577, 3_000_000])(
    "is read, found and edited alike if the first one is at %i",
    async (at) => {
      const head = Buffer.from(`${long}\n`.repeat(Math.ceil(at / 100))).subarray(0, at);
      const bytes = Buffer.concat([head, Buffer.from("\ncaf\xe9 needle\n", "latin1")]);
      const { text, read } = openWorkspace({ "a.txt": bytes });
      const displayed = await text("read_file", { path: "a.txt", offset: -1 });
      expect(displayed).toContain("not UTF-8: each byte is one character");
      expect(displayed).toContain("\tcaf\u00e9 needle");
      expect(await text("search", { pattern: "caf\u00e9 needle" })).toContain(":caf\u00e9 needle");
      const edits = [{ old: "caf\u00e9 needle", new: "caf\u00e9 found" }];
      await text("edit_file", { path: "a.txt", edits });
      const expected = Buffer.concat([head, Buffer.from("\ncaf\xe9 found\n", "latin1")]);
      expect(read("a.txt").equals(expected)).toBe(true);
    },
  );

  test("UTF-8 whose characters lie across the parts that are examined is UTF-8", async () => {
    for (const shift of [0, 1, 2, 3]) {
      const content = `${"x".repeat(shift)}${"\u{1f600}".repeat(600_000)}\n`;
      const { value } = openWorkspace({ "a.txt": content });
      expect(await value("read_file", { path: "a.txt", limit: 1 })).toMatchObject({
        encoding: "utf8",
      });
    }
    const cut = Buffer.from("\u{1f600}".repeat(300_000)).subarray(0, -1);
    const { value } = openWorkspace({ "a.txt": cut });
    expect(await value("read_file", { path: "a.txt" })).toMatchObject({ encoding: "latin1" });
  });
});

test.each([
  ["write_file", { path: "new.txt", content: "a\ud800b" }],
  ["write_file", { path: "a.txt", content: "a\udc00b", mode: "append" }],
  ["apply_patch", { patch: "*** Begin Patch\n*** Add File: n\n+a\ud800\n*** End Patch" }],
  [
    "apply_patch",
    { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-text\n+a\ud800\n*** End Patch" },
  ],
  ["edit_file", { path: "a.txt", edits: [{ old: "text", new: "\ud83d" }] }],
] as const)("%s refuses half of a character", async (name, args) => {
  const { failure, read } = openWorkspace({ "a.txt": "text\n" }, { applyPatch: true });
  expect(await failure(name, args)).toContain("half of a character");
  expect(read("a.txt").toString()).toBe("text\n");
});

test("names and scripts with half of a character or a NUL are refused", async () => {
  const { failure } = openWorkspace({}, { sandbox: "none" });
  for (const character of ["\ud800", "\0"]) {
    expect(await failure("write_file", { path: `a${character}`, content: "x" })).toContain(
      "has a NUL or half of a character (a lone surrogate), which no path can have",
    );
    expect(await failure("bash", { command: `echo 'a${character}'` })).toContain(
      "invalid_arguments: The script has a NUL or half of a character",
    );
  }
});

test("tools for programs refuse half of a character", async () => {
  const { failure } = openEffects({ "a.txt": "text\n" });
  const texts = [
    await failure("fs_write", { path: "new.txt", content: "\ud800" }),
    await failure("fs_write", { path: "a.txt", content: "\ud800", mode: "append" }),
    await failure("fs_edit", { path: "a.txt", edits: [{ old: "text", new: "\ud800" }] }),
    await failure("fs_edit", { path: "a.txt", lines: { start: 1, insert: "\ud800" } }),
  ];
  for (const one of texts) expect(one).toContain("half of a character");
});

describe("long lines", () => {
  test("are read on at the offset that the result says", async () => {
    const line = Array.from({ length: 20_000 }, (_, index) => `\u00e9${index}`).join(",");
    const { text, failure } = openWorkspace({ "a.txt": `first\n${line}\nlast\n` });
    let seen = "";
    let next: string | undefined = "0";
    let reads = 0;
    while (next !== undefined) {
      const displayed: string = await text("read_file", {
        path: "a.txt",
        offset: 2,
        line_offset: Number(next),
      });
      const [, body = ""] =
        /^\[lines 2 to 2 of 3; next offset 3\]\n +2\t(.*)$/.exec(displayed) ?? [];
      seen += body.replace(/^\[\d+\+\]/, "").replace(/\[\+\d+ bytes; line_offset \d+\]$/, "");
      next = /line_offset (\d+)\]$/.exec(displayed)?.[1];
      reads += 1;
    }
    expect(seen).toBe(line);
    expect(reads).toBeLessThan(5);
    const all = await text("read_file", { path: "a.txt" });
    expect(all).toMatch(/ 1\tfirst\n +2\t.*\[\+\d+ bytes; line_offset \d+\]\n +3\tlast$/);
    expect(await text("read_file", { path: "a.txt", offset: 3, line_offset: 9 })).toContain(
      "[the line has 4 bytes; nothing begins at line_offset 9]",
    );
    expect(await failure("read_file", { path: "a.txt", offset: -1, line_offset: 1 })).toContain(
      "invalid_arguments",
    );
  });

  test("a long file is read in pages that a model gets as a whole", async () => {
    const lines = Array.from({ length: 4_000 }, (_, index) => `${index} ${"y".repeat(index % 60)}`);
    for (const content of [
      lines.join("\n"),
      Buffer.from(`\xe9${lines.join("\xe9\n")}`, "latin1"),
    ]) {
      const { call } = openWorkspace({ "a.txt": content });
      let offset = 1;
      for (let pages = 0; offset !== 0 && pages < 30; pages++) {
        const outcome = await call("read_file", { path: "a.txt", offset });
        expect(outcome.result?.artifacts ?? []).toEqual([]);
        offset = Number(/next offset (\d+)/.exec(readText(outcome))?.[1] ?? 0);
      }
      expect(offset).toBe(0);
    }
  });

  test("are found with the text around the match", async () => {
    const { text } = openWorkspace({ "a.js": `${"a".repeat(3_000)}needle${"b".repeat(3_000)}\n` });
    const found = await text("search", { pattern: "needle" });
    expect(found).toMatch(/^a\.js:1:\[2875\+\]a{125}needleb{369}\[\+2631\]\n\[1 match/);
    const context = await text("search", { pattern: "^c", before: 1, path: "." });
    expect(context).toContain("no match");
    const end = openWorkspace({ "a.js": `${"\u{1f600}".repeat(2_000)}needle` });
    const atEnd = await end.text("search", { pattern: "(?<=x|.)needle" });
    expect(atEnd).toMatch(/^a\.js:1:\[35\d\d\+\](?:\u{1f600})+needle\n/u);
  });
});

describe("a text whose lines end with carriage returns", () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => `row ${index + 1},x`);

  test("is read, searched, edited and patched by lines", async () => {
    const { text, read } = openWorkspace({ "a.csv": `${rows.join("\r")}\r` }, { applyPatch: true });
    expect(await text("read_file", { path: "a.csv", offset: 500, limit: 2 })).toBe(
      "[lines 500 to 501 of 1000; next offset 502]\n   500\trow 500,x\n   501\trow 501,x",
    );
    expect(await text("read_file", { path: "a.csv", offset: -1 })).toContain("  1000\trow 1000,x");
    expect(await text("search", { pattern: "^row 70,x$" })).toContain("a.csv:70:row 70,x");
    const edits = [{ old: "row 2,x\nrow 3,x", new: "two\nthree\nmore" }];
    const edited = await text("edit_file", { path: "a.csv", edits });
    expect(edited).toContain("Made 1 replacement in a.csv, line 2.");
    expect(edited).toContain("-row 2,x\n-row 3,x\n+two\n+three\n+more\n");
    expect(read("a.csv").toString().slice(0, 30)).toBe("row 1,x\rtwo\rthree\rmore\rrow 4,x");
    await text("edit_file", {
      path: "a.csv",
      edits: [{ old: "\r", new: "\n", replace_all: true }],
    });
    expect(read("a.csv").includes(13)).toBe(false);
  });

  test("keeps its line ends when text is appended", async () => {
    const { text, read } = openWorkspace({ "a.txt": "a\rb\r" });
    await text("write_file", { path: "a.txt", content: "c\nd\n", mode: "append" });
    expect(read("a.txt").toString()).toBe("a\rb\rc\rd\r");
  });

  test("keeps its line ends when lines are replaced by number", async () => {
    const { value, read } = openEffects({ "a.txt": "a\rb\rc\r" });
    await value("fs_edit", { path: "a.txt", lines: { start: 2, insert: "x\ny" } });
    expect(read("a.txt").toString()).toBe("a\rx\ry\rc\r");
  });
});

test.each([
  ["alpha\rbeta\rgamma", "alpha\nbeta\ngamma"],
  ['1,"a\rb"\n2,c\n', '1,"a\nb"\n2,c\n'],
  ["1,2\r3,4\r", "1,2\n3,4"],
  ["item 1\ritem 2\ritem 3\n", "item 3 [overwrote 2]\n"],
  ["10%\r20%\r100%\ndone", "100%\ndone"],
  ["\u280b load 1\r\u2819 load 2\r\u2839 load 3\n", "\u2839 load 3\n"],
  ["get 1/3\rget 2/3\rget 3/3\nbuild [=> ]\rbuild [==>]\n", "get 3/3\nbuild [==>]\n"],
  ["crlf\r\nlines\r\r\n", "crlf\nlines\n"],
])("the output %j is %j", (output, expected) => {
  expect(toOutputText(Buffer.from(output))).toBe(expected);
});
