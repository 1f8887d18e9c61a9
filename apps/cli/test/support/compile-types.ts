import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-file.ts";

const root = join(import.meta.dirname, "../../../..");
const compiler = join(root, "node_modules/typescript/bin/tsc");

/** Every option with which the compiler checks more, in declaration files, too. */
const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedSideEffectImports: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  skipLibCheck: false,
};

/** In place of the package: the interface, and the method whose types it gives. */
const core = `declare module "@toolweave/core" {
  export interface ToolTypes {}
  export function call<Name extends keyof ToolTypes>(
    name: Name,
    args: ToolTypes[Name] extends { input: infer Input } ? Input : never,
  ): ToolTypes[Name] extends { output: infer Output } ? Output : never;
}`;

/**
 * Compiles code beside a declaration file, `toolweave.d.ts`, with the strictest options, except those in `options`.
 *
 * @returns the messages of the compiler.
 */
export function compileTypes(declaration: string, code = "", options: object = {}): string {
  return compile({ "core.d.ts": core, "toolweave.d.ts": declaration, "code.ts": code }, options);
}

/** The same with the sources of `@toolweave/core`, whose own code is not for all of these options. */
export function compileWithCore(declaration: string, code: string): string {
  return compile(
    { "toolweave.d.ts": declaration, "code.ts": code },
    {
      paths: { "@toolweave/core": [join(root, "packages/core/src/index.ts")] },
      typeRoots: [join(root, "node_modules/@types")],
      types: ["node"],
      lib: ["es2023", "esnext.disposable"],
      allowImportingTsExtensions: true,
      noPropertyAccessFromIndexSignature: false,
      skipLibCheck: true,
    },
  );
}

function compile(files: Readonly<Record<string, string>>, options: object): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    noEmit: true,
    types: [],
    ...strictest,
    ...options,
  };
  const config = { compilerOptions, files: Object.keys(files) };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  try {
    execFileSync(process.execPath, [compiler, "-p", folder], { cwd: folder, stdio: "pipe" });
    return "";
  } catch (error) {
    return String((error as { readonly stdout: Buffer }).stdout);
  }
}
