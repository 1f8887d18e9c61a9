import { describe, expect, test } from "vitest";
import { analyzeCommand } from "../../src/index.ts";

/** The paths of a command: `r` or `w`, with `*` for a whole folder, in order. */
function readPaths(script: string): readonly string[] {
  return analyzeCommand(script).commands.flatMap(({ paths }) =>
    paths
      .filter(({ isPossible }) => isPossible !== true)
      .map(({ path, access, extent }) => {
        const whole = extent === undefined ? "" : { tree: "*", visible: "~", names: "…" }[extent];
        return `${access.slice(0, 1)}${whole} ${path}`;
      }),
  );
}

describe("what a program writes is read from its options, in every way to write them", () => {
  test.each([
    ["cp -t/outside f", "r f | w /outside | w /outside/f"],
    ["cp -t /outside f", "r f | w /outside | w /outside/f"],
    ["cp --target-directory=/outside f", "r f | w /outside | w /outside/f"],
    ["cp --target-directory /outside f", "r f | w /outside | w /outside/f"],
    ["cp --target=/outside f", "r f | w /outside | w /outside/f"],
    ["cp --ta /outside f", "r f | w /outside | w /outside/f"],
    ["cp -ft/outside f g", "r f | r g | w /outside | w /outside/f | w /outside/g"],
    ["cp f d/hooks/", "r f | w d/hooks/ | w d/hooks//f"],
    ["cp f g -t d", "r f | r g | w d | w d/f | w d/g"],
    ["cp -- -t f", "r -t | w f | w f/-t"],
    ["cp -S .bak a b", "r a | w b | w b/a | w… b | w… b/a"],
    ["ln -b a b", "r a | w a | w b | w b/a | w… b | w… b/a"],
    ["mv -t d a", "w* a | w* d | w* d/a"],
    ["mv a b", "w* a | w* b | w* b/a"],
    ["install -D a /outside/b", "r a | w /outside/b | w /outside/b/a"],
    ["install -d x y", "w x | w y"],
    ["ln -t d /outside/f", "r /outside/f | w /outside/f | w d | w d/f"],
    ["ln -s /outside link", "r* /outside | r* /outside | r* /outside | w link | w link/outside"],
    ["ln a/b", "r a/b | w a/b | w b | w b/b"],
    ["sort -o/outside/x f", "w /outside/x | r f"],
    ["sort -uo x f", "w x | r f"],
    ["sort --outp=x f", "w x | r f"],
    ["sort f -o x", "w x | r f"],
    ["sort -T d f", "w d | r f"],
    ["shuf -o x -i 1-9", "w x"],
    ["sed -i s/a/b/ /outside/x", "w /outside/x"],
    ["sed -i.bak s/a/b/ x", "w x | w ./x.bak"],
    ["sed '--in-place=/outside/*' s/a/b/ d/x", "w d/x | w /outside/x"],
    ["sed --in s/a/b/ x", "w x"],
    ["sed -n -i p x y", "w x | w y"],
    ["sed -ni p x", "w x"],
    ["sed -e p -i x", "w x"],
    ["sed -n 'w out' x", "w out | r x"],
    ["sed 's/a/b/gw out' x", "w out | r x"],
    ["sed '/[/]/w out' x", "w out | r x"],
    ["sed -n '1,/x/{s,a,b,;W out\n}' x", "w out | r x"],
    ["sed '$r /outside/x' f", "r /outside/x | r f"],
    ["uniq in out", "r in | w out"],
    ["uniq -f 1 in out", "r in | w out"],
    ["xxd -r in out", "r in | w out"],
    ["xxd in -u", "r in | w -u"],
    ["xxd -g 2 in --", "r in | w --"],
    ["tee -a x y", "w x | w y"],
    ["touch -r a b", "r a | w b"],
    ["mkdir -p a/b", "w a/b"],
    ["chmod -w x", "w x"],
    ["chmod --reference=a x y", "r a | w x | w y"],
    ["chmod u+x x", "w x"],
    ["split -b 10 big /outside/p", "r big | w… /outside/p"],
    ["split big", "r big | w… x"],
    ["tar cf a.tar src", "w a.tar | r* src"],
    ["tar czfC a.tgz d src", "w a.tgz | r* src | r* ./d/src"],
    ["tar -tf a.tar", "r a.tar"],
    ["zip -r a.zip src", "w a.zip | w a.zip.zip | r* src"],
    ["unzip -l a.zip", "r a.zip"],
    ["tree -o x", "w x"],
    ["grep -rf list k d", "r list | r* k | r* d"],
    ["grep -r k", "r* ."],
    ["rg k", "r~ ."],
    ["rg --hidden k src", "r* src"],
    ["rg -. k", "r* ."],
    ["rg -i. k src", "r* src"],
    ["strings @list", "r @list | r list"],
    ["find . -newer /outside/x", "r . | r /outside/x"],
    ["cut -d / -f 1 x", "r x"],
    ["git init /outside/x", "w* /outside/x"],
    ["git worktree add -b x ../y", "w* x | w* ../y"],
    ["git config core.fsmonitor x", "w .git/config"],
    ["git config --get user.name", ""],
  ])("%s", (script, expected) => {
    const { isKnown, risk } = analyzeCommand(script);
    expect(isKnown).toBe(true);
    expect(risk).not.toBe("high");
    expect(readPaths(script).join(" | ")).toBe(expected);
  });
});

describe("what is not in the tables has a high risk", () => {
  test.each([
    ["frobnicate x", "frobnicate is not known"],
    ["cp --frob a b", "cp --frob is not known"],
    ["cp -y a b", "cp -y is not known"],
    ["sort --co=sh x", "sort --compress-program does more than change the files that it names"],
    ["install --strip-prog=sh a b", "install --strip-program does more"],
    ["date 010100002030", "date sets the clock"],
    ["date --se=2020-01-01", "date --set does more"],
    ["sed -f script x", "sed has a script that may write files or run programs"],
    ["sed '1e id' x", "sed has a script that may"],
    ["sed 's/a/id/e' x", "sed has a script that may"],
    [String.raw`sed 's/[\n/]/;p;#/w out' x`, "sed has a script that may"],
    [`jq 'import "k" as $k; $k'`, "jq has a filter that imports files"],
    ["tar xf a.tar", "tar writes the files that the archive names"],
    ["tar cf host:a.tar x", "tar may connect to another host"],
    ["tar --checkpoint-action=exec=sh -cf a x", "tar --checkpoint-action does more"],
    ["tar -cf a -T list", "tar -T does more"],
    ["unzip a.zip", "unzip writes the files that the archive names"],
    ["patch -p1", "patch: the files that it writes are not in its arguments"],
    ["git apply x.patch", "git apply changes the files that the patch names"],
    ["git diff --outp=x", "an option of git diff writes files or runs programs"],
    ["find . -frob", "find -frob is not known to only read"],
    ["xxd -ps in out", "xxd -ps is not known"],
    ["split --filter=sh x", "split --filter does more"],
  ])("%s", (script, reason) => {
    const { risk, commands } = analyzeCommand(script);
    expect(risk).toBe("high");
    expect(commands.flatMap(({ reasons }) => reasons).join("; ")).toContain(reason);
  });
});

test("programs that build and test a project have a medium risk, whatever their folder is", () => {
  for (const script of [
    "npm test",
    "cargo build --release",
    "./gradlew build",
    "node_modules/.bin/tsc",
  ]) {
    expect([script, analyzeCommand(script).risk]).toEqual([script, "medium"]);
  }
});
