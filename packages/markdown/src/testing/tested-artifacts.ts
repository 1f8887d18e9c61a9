import {
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonValue,
} from "@toolweave/core";
import { nearNames } from "@toolweave/core/adapter";
import type { FindFile } from "../script/script-loader.ts";
import type { ScriptHost } from "../script/run-script.ts";
import { ArtifactHooks } from "../source/artifact-hooks.ts";
import { artifactTool } from "../effects/artifact-tool.ts";
import type { Finding } from "../text/finding.ts";
import { readArtifactsBeside, type ArtifactsBeside } from "./beside.ts";
import type { Coverage } from "./coverage.ts";
import type { MockedFunctions } from "./mocked-functions.ts";
import { fault } from "../builtins/fault.ts";

interface TestedArtifactsOptions {
  readonly root: string;
  readonly coverage: Coverage;
  readonly functions: MockedFunctions;
  readonly findFile: (file: string) => FindFile;
  readonly signal?: AbortSignal;
}

/** The tools and hooks beside a test, as a host would run them. */
export class TestedArtifacts {
  readonly #options: TestedArtifactsOptions;
  readonly #artifacts: ArtifactsBeside;
  readonly #host: ScriptHost;
  readonly #registry: ToolRegistry;
  #calls = 0;

  constructor(test: string, options: TestedArtifactsOptions) {
    const { root, coverage, functions, findFile } = options;
    this.#options = options;
    this.#artifacts = readArtifactsBeside(test, root);
    const { tools, hooks } = this.#artifacts;
    for (const { script } of [...tools.values(), ...hooks.values()])
      if (script !== undefined) coverage.add(script);
    this.#host = {
      cacheFor: () => functions.state.cache,
      log: ({ level, message }) => void functions.state.output.push(`${level}: ${message}`),
      predeclared: functions.predeclared,
      onOperation: coverage.record,
    };
    const findCovered = (file: string): FindFile => {
      const find = findFile(file);
      return (name) => {
        const found = find(name);
        if (found !== undefined)
          coverage.add({ text: found.text, place: { file: found.file, line: 1, column: 1 } });
        return found;
      };
    };
    const services = { source: "test", host: this.#host, effects: functions.effects, limits: {} };
    const all = Array.from(tools.values(), (artifact) =>
      // A task would end after the test.
      artifactTool({ ...artifact, isAsync: false }, { ...services, findFile: findCovered }),
    );
    this.#registry = new ToolRegistry([toolsSource("test", all)], { onProblem: () => {} });
  }

  /** The tools that scripts may call. */
  listTools(): readonly { readonly name: string; readonly description: string }[] {
    return Array.from(this.#artifacts.tools.values(), ({ name, description }) => ({
      name,
      description,
    }));
  }

  /**
   * Calls a tool through an executor that approves everything.
   *
   * @throws StarlarkError (by rejecting) for a tool that does not exist, and for a call that fails.
   */
  async callTool(name: string, args: JsonValue): Promise<JsonValue> {
    const artifact = this.#find("tool", name, this.#artifacts.tools);
    if (artifact.script === undefined) throw fault(`the tool ${name} has no script`);
    const { signal } = this.#options;
    const executor = new ToolExecutor({
      registry: this.#registry,
      policy: () => "allow",
    });
    const outcome = await executor.execute(
      { id: `call-${++this.#calls}`, name, arguments: args as JsonObject },
      signal === undefined ? {} : { signal },
    );
    const { result, error } = outcome;
    if (result?.value !== undefined) return result.value;
    if (error !== undefined) throw fault(error.message);
    const texts = result?.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    return texts?.join("\n") ?? null;
  }

  /**
   * Calls a hook alone, as a host does: it fails closed.
   *
   * @throws StarlarkError (by rejecting) for a hook that does not exist, or waits for another event.
   */
  async callHook(name: string, event: string, payload: JsonValue): Promise<JsonValue> {
    const artifact = this.#find("hook", name, this.#artifacts.hooks);
    if (artifact.event !== event)
      throw fault(`the hook ${name} waits for ${artifact.event}, not for ${event}`);
    const hooks = new ArtifactHooks(this.#host, {});
    hooks.set([{ artifact }]);
    return (await hooks.emit(event, payload as JsonObject)) as unknown as JsonValue;
  }

  close(): Promise<void> {
    return this.#registry.close();
  }

  #find<Artifact>(
    kind: "tool" | "hook",
    name: string,
    artifacts: ReadonlyMap<string, Artifact>,
  ): Artifact {
    const found = artifacts.get(name);
    if (found !== undefined) return found;
    const findings = this.#artifacts.faults.get(name);
    if (findings !== undefined)
      throw fault([`the ${kind} ${name} is invalid:`, ...findings.map(toLine)].join("\n"));
    const [near] = nearNames(name, [...artifacts.keys()], 1);
    const hint =
      near === undefined
        ? `: the folders are ${this.#artifacts.folders.join(", ")}`
        : ` (did you mean ${near}?)`;
    throw fault(`there is no ${kind} ${name} beside the test${hint}`);
  }
}

function toLine({ file, line, column, severity, message }: Finding): string {
  return `  ${file}:${line}:${column}: ${severity}: ${message}`;
}
