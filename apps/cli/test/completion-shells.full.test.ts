import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { petDocument } from "./support/pet-document.ts";
import { hasProgram, openTerminal, pathWithToolweave } from "./support/terminal.ts";
import { tempFolder } from "./support/temp-file.ts";

/** A folder with a trusted configuration, and the environment of a shell in it. */
function prepare(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const [folder, home] = [tempFolder(), tempFolder()];
  const env = { HOME: home, PATH: pathWithToolweave(), PS1: "READY> " };
  writeFileSync(join(folder, "pets.json"), JSON.stringify(petDocument));
  execFileSync("toolweave", ["init", "--openapi", "pets.json"], { cwd: folder, env });
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const script = execFileSync("toolweave", ["completion", shell], { cwd: folder, env });
    writeFileSync(join(folder, `complete.${shell}`), script);
  }
  return { folder, env };
}

test("Tab completes commands, tools and files in bash", async () => {
  const { folder, env } = prepare();
  const { type, until } = openTerminal("bash --norc --noprofile -i", folder, env);
  await until("READY> ");
  type("source complete.bash\n");
  await until("READY> ");
  // What is typed is echoed, and then continued.
  type("toolweave insp\t");
  await until("toolweave inspect ");
  type("--che\t");
  await until("--check ");
  type("\u0015toolweave call get_pe\t");
  await until("get_pet ");
  type("\u0015toolweave inspect --openapi pet\t");
  await until("pets.json");
  // A typed word is never evaluated.
  type("\u0015toolweave call $(touch evaluated) \t\t");
  type("\u0015echo do''ne\n");
  await until("done");
  expect(existsSync(join(folder, "evaluated"))).toBe(false);
});

test.runIf(hasProgram("fish"))("fish completes commands, tools and files", () => {
  const { folder, env } = prepare();
  const complete = (line: string): string =>
    execFileSync("fish", ["--no-config", "-c", `source complete.fish; complete -C '${line}'`], {
      cwd: folder,
      env,
    }).toString();
  expect(complete("toolweave insp")).toBe("inspect\tlist the tools\n");
  expect(complete("toolweave call get_pe")).toBe("get_pet\ttool\n");
  expect(complete("toolweave install cur")).toBe("cursor\n");
  expect(complete("toolweave inspect --openapi pets")).toContain("pets.json");
});

test.runIf(hasProgram("zsh"))("zsh accepts its script, and completes with it", async () => {
  const { folder, env } = prepare();
  execFileSync("zsh", ["-n", "complete.zsh"], { cwd: folder, env });
  const { type, until } = openTerminal("zsh -f -i", folder, env);
  await until("READY> ");
  type("autoload -Uz compinit && compinit -u -d ./dump && source complete.zsh; echo sour''ced\n");
  await until("sourced");
  type("toolweave insp\t");
  expect(await until("ect")).toContain("insp");
});

test.runIf(hasProgram("pwsh"))("PowerShell accepts its script", () => {
  const { folder, env } = prepare();
  const check =
    "$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile((Resolve-Path complete.powershell), [ref]$null, [ref]$e); $e.Count";
  const errors = execFileSync("pwsh", ["-NoProfile", "-Command", check], { cwd: folder, env });
  expect(errors.toString().trim()).toBe("0");
});
