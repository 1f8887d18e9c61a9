import { expect, test } from "vitest";
import { project } from "./support/project.ts";

const rough = "---\nscript: |\n  def run(args):return [1,2]\n---\nDo  it.\n";
const standard = "---\nscript: |\n  def run(args):\n      return [1, 2]\n---\nDo  it.\n";

test("fmt prints one file with its script in the standard form", async () => {
  const { run, write, read } = project();
  write("a.md", rough);
  expect(await run(["fmt", "a.md"])).toMatchObject({ code: 0, stdout: standard, stderr: "" });
  expect(read("a.md")).toBe(rough);
});

test("fmt --check lists files, and --write writes them", async () => {
  const { run, write, read } = project();
  write("tools/a.md", rough);
  write("tools/b.star", "x = 1\n");
  write("c.test.star", 'x=f"{1}"\n');
  write("node_modules/d.md", rough);
  write("README.md", "# Page\n");
  expect(await run(["fmt", "--check"])).toMatchObject({
    code: 1,
    stdout: "c.test.star\ntools/a.md\n",
  });
  expect(await run(["fmt", "--write", "tools"])).toMatchObject({ code: 0, stdout: "tools/a.md\n" });
  expect(read("tools/a.md")).toBe(standard);
  expect(await run(["fmt", "--check", "tools"])).toMatchObject({ code: 0, stdout: "" });
});

test("fmt reports a file with errors and leaves it alone", async () => {
  const { run, write, read } = project();
  const broken = "---\nscript: |\n  x = = 1\n---\n";
  write("a.md", broken);
  write("b.md", rough);
  const { code, stdout, stderr } = await run(["fmt", "--write", "."]);
  expect([code, stdout]).toEqual([1, "b.md\n"]);
  expect(stderr).toBe("a.md:3:7: got '=', want primary expression\n");
  expect(read("a.md")).toBe(broken);
});

test("fmt needs --check or --write for several files, and a path that exists", async () => {
  const { run, write } = project();
  write("a.md", rough);
  write("b.md", rough);
  expect(await run(["fmt"])).toMatchObject({ code: 2 });
  expect(await run(["fmt", "--check", "--write"])).toMatchObject({ code: 2 });
  expect(await run(["fmt", "c.md"])).toMatchObject({ code: 2 });
});
