import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace, type OpenWorkspace } from "../support/open-workspace.ts";

function open(files: Readonly<Record<string, string | Uint8Array>>): OpenWorkspace {
  return openWorkspace(files, { applyPatch: true, bash: false });
}

function patch(...lines: readonly string[]): { patch: string } {
  return { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") };
}

describe("apply_patch", () => {
  test("adds, updates, moves and deletes files", async () => {
    const { text, read, root } = open({
      "a.txt": "one\ntwo\n",
      "b.txt": "b\n",
      "c/old.txt": "x\ny\n",
    });
    const result = await text(
      "apply_patch",
      patch(
        "*** Add File: new/n.txt",
        "+first",
        "+",
        "*** Update File: a.txt",
        "@@",
        " one",
        "-two",
        "+2",
        "*** Delete File: b.txt",
        "*** Update File: c/old.txt",
        "*** Move to: d/e/new.txt",
        "@@",
        "-x",
        "+z",
      ),
    );
    expect(result).toBe(
      "Added new/n.txt\nUpdated a.txt\nDeleted b.txt\nMoved c/old.txt to d/e/new.txt",
    );
    expect(read("new/n.txt").toString()).toBe("first\n\n");
    expect(read("a.txt").toString()).toBe("one\n2\n");
    expect(existsSync(join(root, "b.txt"))).toBe(false);
    expect(existsSync(join(root, "c/old.txt"))).toBe(false);
    expect(read("d/e/new.txt").toString()).toBe("z\ny\n");
  });

  test("applies several changes of a file in their order, each after its anchor", async () => {
    const lines = ["class A:", "  def f():", "    pass", "class B:", "  def f():", "    pass", ""];
    const { text, read } = open({ "a.py": lines.join("\n") });
    await text(
      "apply_patch",
      patch(
        "*** Update File: a.py",
        "@@ class A:",
        "-    pass",
        "+    return 1",
        "@@ class B:",
        "@@   def f():",
        "-    pass",
        "+    return 2",
      ),
    );
    expect(read("a.py").toString()).toBe(
      "class A:\n  def f():\n    return 1\nclass B:\n  def f():\n    return 2\n",
    );
  });

  test.each([
    ["a line at the end", "a\nb\n", ["@@", "+c"], "a\nb\nc\n"],
    ["a line after an anchor", "a\nb\n", ["@@ a", "+c"], "a\nc\nb\n"],
    ["lines that only go", "a\nb\nc\n", ["@@", " a", "-b", " c"], "a\nc\n"],
    ["the last of equal lines", "x\na\nx\n", ["@@", "-x", "+y", "*** End of File"], "x\na\ny\n"],
    [
      "lines before an empty last one",
      "a\n\na\n\n",
      ["@@", "-a", "+c", " ", "*** End of File"],
      "a\n\nc\n\n",
    ],
    [
      "lines before an empty last one without a sign",
      "a\n\na\n\n",
      ["@@", "-a", "+c", "", "*** End of File"],
      "a\n\nc\n\n",
    ],
    ["an empty line", "a\n\nb\n", ["@@", " a", "", "-b", "+c"], "a\n\nc\n"],
    ["letters of any language", "naïve ☕\n", ["@@", "-naïve ☕", "+日本"], "日本\n"],
    ["a file without a line end", "a\nb", ["@@", "-b", "+c"], "a\nc"],
    ["lines with CR LF", "a\r\nb\r\n", ["@@", " a", "-b", "+c", "+d"], "a\r\nc\r\nd\r\n"],
    ["mixed line ends", "a\r\nb\nc\r\n", ["@@", "-b", "+B"], "a\r\nB\nc\r\n"],
    ["a change without a mark", "a\nb\n", [" a", "-b", "+c"], "a\nc\n"],
  ])("changes %s, and nothing else", async (_, before, change, after) => {
    const { text, read } = open({ "a.txt": before });
    await text("apply_patch", patch("*** Update File: a.txt", ...change));
    expect(read("a.txt").toString()).toBe(after);
  });

  test.each([
    " *** Begin Patch",
    " *** End Patch",
    " *** Add File: b.txt",
    " *** Update File: b.txt",
    " *** Delete File: b.txt",
    " *** Move to: c.txt",
    " *** End of File",
    " @@ x",
    " +x",
    " -x",
  ])("F2: reads a line of the file as one, whatever it looks like: %s", async (line) => {
    for (const [before, change, after] of [
      [
        [line.slice(1), "a"],
        ["@@", line, "-a", "+A"],
        [line.slice(1), "A"],
      ],
      [
        ["a", line.slice(1)],
        ["@@", "-a", "+A", line],
        ["A", line.slice(1)],
      ],
      [
        [line.slice(1), "a"],
        [line, "-a", "+A"],
        [line.slice(1), "A"],
      ],
      [[line.slice(1), "a"], ["@@", `-${line.slice(1)}`, " a"], ["a"]],
      [["a"], ["@@", " a", `+${line.slice(1)}`], ["a", line.slice(1)]],
    ] as const) {
      const { text, read, root } = open({ "a.txt": `${before.join("\n")}\n`, "b.txt": "b\n" });
      expect(await text("apply_patch", patch("*** Update File: a.txt", ...change))).toBe(
        "Updated a.txt",
      );
      expect(read("a.txt").toString()).toBe(`${after.join("\n")}\n`);
      expect(read("b.txt").toString()).toBe("b\n");
      expect(existsSync(join(root, "c.txt"))).toBe(false);
    }
  });

  test("Q7: ignores empty lines before a mark, and a here-document around the patch", async () => {
    const lines = ["*** Add File: n.txt", "+n", "", "*** Update File: a.txt", "@@", "-a", "+A", ""];
    const whole = patch(...lines, "*** Delete File: b.txt", "");
    for (const given of [
      whole.patch,
      `apply_patch <<'EOF'\n${whole.patch}\nEOF\n`,
      `<<"EOF"\n${whole.patch}\nEOF`,
    ]) {
      const { text, read, root } = open({ "a.txt": "a\n", "b.txt": "b\n" });
      expect(await text("apply_patch", { patch: given })).toBe(
        "Added n.txt\nUpdated a.txt\nDeleted b.txt",
      );
      expect(read("n.txt").toString()).toBe("n\n");
      expect(read("a.txt").toString()).toBe("A\n");
      expect(existsSync(join(root, "b.txt"))).toBe(false);
    }
  });

  test("ignores blank lines before the first change of a file", async () => {
    const { text, read } = open({ "a.txt": "a\n" });
    await text("apply_patch", patch("*** Update File: a.txt", "", " ", "@@", "-a", "+A"));
    expect(read("a.txt").toString()).toBe("A\n");
  });

  test("keeps half of a character at the end of a UTF-16 file", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x41]);
    const { text, read } = open({ "a.txt": bytes });
    await text("apply_patch", patch("*** Update File: a.txt", "@@", "-a", "+b"));
    expect([...read("a.txt")]).toEqual([0xff, 0xfe, 0x62, 0, 0x0a, 0, 0x41]);
  });

  test("Q7: applies several sections of a file one after the other", async () => {
    const { text, read } = open({ "a.txt": "one\ntwo\nthree\n" });
    const result = await text(
      "apply_patch",
      patch(
        "*** Update File: a.txt",
        "@@",
        "-three",
        "+3",
        "*** Update File: a.txt",
        "@@",
        "-one",
        "+1",
        " two",
        "-3",
        "+drei",
      ),
    );
    expect(result).toBe("Updated a.txt");
    expect(read("a.txt").toString()).toBe("1\ntwo\ndrei\n");
  });

  test("keeps lines that differ from the patch in whitespace or quotes, and says so", async () => {
    const { text, read } = open({ "a.txt": "  if “x”:  \n    old\n" });
    expect(
      await text(
        "apply_patch",
        patch("*** Update File: a.txt", "@@", ' if "x":', "-old", "+    new"),
      ),
    ).toMatch(/^Updated a\.txt \(matched but for .+ at line 1\)$/);
    expect(read("a.txt").toString()).toBe("  if “x”:  \n    new\n");
  });

  test("keeps the encoding of a file, and its mark", async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\r\nb\r\n", "utf16le")]);
    const { text, read } = open({ "u.txt": utf16, "l.txt": Buffer.from("caf\xe9\nb\n", "latin1") });
    const change = ["@@", "-b", "+c"];
    await text(
      "apply_patch",
      patch("*** Update File: u.txt", ...change, "*** Update File: l.txt", ...change),
    );
    expect(read("u.txt").subarray(2).toString("utf16le")).toBe("a\r\nc\r\n");
    expect(read("l.txt").toString("latin1")).toBe("caf\xe9\nc\n");
  });

  test.each([
    ["nothing", [], "the patch changes no file"],
    ["a change without lines", ["*** Update File: a.txt", "@@"], "the change has no lines"],
    ["an update without changes", ["*** Update File: a.txt"], "a.txt has no change"],
    ["an unknown mark", ["*** Frobnicate File: a.txt"], 'here "*** Add File: "'],
    [
      "a line without a sign",
      ["*** Update File: a.txt", "@@", "one"],
      'begins with " ", "-" or "+"',
    ],
    ["a file twice", ["*** Delete File: a.txt", "*** Delete File: a.txt"], "names a.txt twice"],
  ])("is refused with %s", async (_, lines, message) => {
    const { failure, read } = open({ "a.txt": "one\n" });
    expect(await failure("apply_patch", patch(...lines))).toContain(message);
    expect(read("a.txt").toString()).toBe("one\n");
  });

  test.each([
    ["missing lines", ["*** Update File: a.txt", "@@", "-two", "+2"], "not in the file"],
    ["a missing file", ["*** Update File: b.txt", "@@", "-two", "+2"], '"b.txt" does not exist'],
    ["a missing file to delete", ["*** Delete File: b.txt"], '"b.txt" does not exist'],
    ["a folder to delete", ["*** Delete File: dir"], "is a folder"],
    ["a file that was not read", ["*** Add File: dir/x", "+x"], "Read it with read_file"],
    ["a path outside", ["*** Add File: ../x", "+x"], "outside of the workspace"],
    ["a protected file", ["*** Add File: .git/hooks/pre-commit", "+x"], "is protected"],
  ])("changes no file at all if one of them has %s", async (_, lines, message) => {
    const { failure, read, root } = open({ "a.txt": "one\n", "dir/x": "" });
    const all = patch("*** Add File: created.txt", "+x", ...lines);
    expect(await failure("apply_patch", all)).toContain(message);
    expect(existsSync(join(root, "created.txt"))).toBe(false);
    expect(read("a.txt").toString()).toBe("one\n");
  });

  test("takes back what it has changed if a later file cannot be written", async () => {
    const { failure, read, root, write } = open({ "a.txt": "one\n" });
    // A folder cannot be made in the place of a file, which only the writing finds out.
    write("z", "");
    const result = await failure(
      "apply_patch",
      patch(
        "*** Update File: a.txt",
        "@@",
        "-one",
        "+1",
        "*** Add File: new/b.txt",
        "+b",
        "*** Add File: z/c.txt",
        "+c",
      ),
    );
    expect(result).toContain("no folder");
    expect(read("a.txt").toString()).toBe("one\n");
    expect(existsSync(join(root, "new/b.txt"))).toBe(false);
  });
});
