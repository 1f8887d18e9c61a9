import { expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { project } from "./support/project.ts";

/** Runs lines that are piped into `toolweave repl`. */
function pipe(lines: string, args: readonly string[] = []) {
  const made = project();
  return { ...made, ended: () => made.run(["repl", ...args], { stdin: lines }) };
}

test("repl runs piped inputs, and values are printed by repr", async () => {
  const input = `x = [1, "a"]
x
def twice(y):
    return 2 * y

twice(21)
x.append(None)
print("text", x)
for i in range(2):
    print(i)
{"a": (1,)}
`;
  expect(await pipe(input).ended()).toMatchObject({
    code: 0,
    stdout: '[1, "a"]\n42\ntext [1, "a", None]\n0\n1\n{"a": (1,)}\n',
    stderr: "",
  });
});

test("repl continues after an error, and exits with 1 if its input is no terminal", async () => {
  const { code, stdout, stderr } = await pipe("1 // 0\n1 +\nprint('on\\u202e')\n:nope\n").ended();
  expect([code, stdout]).toEqual([1, "on\\u{202E}\n"]);
  expect(stderr).toContain("<input 1>:1:3: in <toplevel>\nError: floored division by zero");
  expect(stderr).toContain("<input 2>:1:4: got newline, want primary expression");
  expect(stderr).toContain("There is no command :nope: :help lists them.");
});

test("repl has commands for help, steps, memory, capabilities, files and the end", async () => {
  const made = pipe(
    ":help\n:caps\nexec\n:caps\n:steps\n:mem\n:load lib.star\ntwice(2)\n:load none.star\n:quit\n5\n",
  );
  made.write("lib.star", "def twice(x):\n    return 2 * x\n");
  const { stdout, stderr } = await made.ended();
  expect(stdout).toMatch(
    /^:help {8}this list\n(?:.*\n)*nothing\n<module "exec">\nprocess\n\d+\n\d+ bytes\n4\n$/,
  );
  expect(stderr).toContain("The file none.star cannot be read (ENOENT).");
});

test("repl loads the script of a markdown file, and refuses its effects", async () => {
  const made = pipe('run({"name": "Ada"})\nrun({})\n', ["tools/greet.md"]);
  made.write(
    "tools/greet.md",
    '---\nscript: |\n  def run(args):\n      if "name" in args:\n          return "Hi " + args["name"]\n      return exec.run("ls")\n---\n',
  );
  const { code, stdout, stderr } = await made.ended();
  expect([code, stdout]).toEqual([1, '"Hi Ada"\n']);
  expect(stderr).toContain("tools/greet.md:6:22: in run");
  expect(stderr).toContain("Effects are refused here: start `toolweave repl --allow`.");
});

test("repl --allow runs effects as the policy decides", async () => {
  const input = 'fs.read("a.txt")\nfs.write("b.txt", "x")\n';
  const asks = pipe(input, ["--allow"]);
  asks.write("a.txt", "content");
  const asked = await asks.ended();
  expect([asked.code, asked.stdout]).toEqual([1, '"content"\n']);
  expect(asked.stderr).toContain("needs an approval, and no person can be asked");
  const runs = pipe(input, ["--allow", "--policy", "autonomous"]);
  runs.write("a.txt", "content");
  expect(await runs.ended()).toMatchObject({ code: 0, stdout: '"content"\n', stderr: "" });
  expect(runs.read("b.txt")).toBe("x");
});

test("repl needs --allow for a policy, and a file that has a script", async () => {
  expect(await pipe("", ["--policy", "strict"]).ended()).toMatchObject({ code: 2 });
  expect(await pipe("", ["none.md"]).ended()).toMatchObject({ code: 2 });
});

test("on a terminal, Ctrl-C ends the input or what runs, and Ctrl-D ends the command", async () => {
  project();
  const { io, stdin, stdout, stderr, said } = captureIo({ terminal: true, columns: 80 });
  const ended = runCli(["repl"], io);
  await said(":help lists commands");
  stdin.write("x = (1,\r");
  stdin.write("\u0003");
  stdin.write("y = 7\r");
  stdin.write("while True: print('runs', y) if y == 7 else None\r\r");
  await until(() => stdout().includes("runs 7"));
  stdin.write("\u0003");
  await said("Interrupted.");
  stdin.write("y * 6\r");
  await until(() => stdout().includes("42"));
  stdin.write("\u0004");
  expect(await ended).toBe(0);
  expect(stderr()).toBe("Starlark. :help lists commands, Ctrl-D ends.\nInterrupted.\n");
});

test("on a terminal, Tab completes names, and history is kept beside the configured store", async () => {
  const { env } = project();
  const first = captureIo({ terminal: true, columns: 80, env });
  const before = runCli(["repl"], first.io);
  await first.said(":help lists commands");
  first.stdin.write("1 + 40\r\u0004");
  expect(await before).toBe(0);
  const { io, stdin, stdout, said } = captureIo({ terminal: true, columns: 80, env });
  const ended = runCli(["repl"], io);
  await said(":help lists commands");
  stdin.write("\u001b[A\r");
  await until(() => stdout().includes("41\n"));
  // A tab in a text that is pasted completes nothing.
  stdin.write("base64.enc");
  stdin.write("\t");
  await until(() => stdout().includes("base64.encode"));
  stdin.write("('a')\r");
  await until(() => stdout().includes('"YQ=="'));
  stdin.write("\u0004");
  expect(await ended).toBe(0);
});

test("on a terminal, repl --allow asks before an effect for which the policy asks", async () => {
  const { env, read } = project();
  const { io, stdin, stdout, said } = captureIo({ terminal: true, columns: 80, env });
  const ended = runCli(["repl", "--allow"], io);
  await said(":help lists commands");
  stdin.write('fs.write("c.txt", "y")\r');
  await said("needs your approval");
  await until(() => /Run it\?/.test(stdout()));
  stdin.write("y\r");
  await until(() => stdout().split(">>> ").length > 2);
  expect(read("c.txt")).toBe("y");
  stdin.write('fs.write("c.txt", "z")\r');
  await said("needs your approval", 2);
  await until(() => stdout().split("Run it?").length > 2);
  stdin.write("\u0003");
  await said("Interrupted.");
  expect(read("c.txt")).toBe("y");
  // Answers are not part of the history.
  stdin.write("\u001b[A");
  stdin.write("\u001b[A");
  await until(() => stdout().split('"y")').length > 2);
  stdin.write("\u0003");
  stdin.write("\u0004");
  expect(await ended).toBe(0);
});

/** Resolves when a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
