import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type JsonSchema } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";
import { Agent, request } from "undici";
import { contenders } from "../contenders.ts";
import type { Task } from "./tasks.ts";

/** Makes one call of a task, and checks the answer as far as the contender returns one. */
export type Caller = (call: number) => Promise<void>;

type Prepare = (task: Task, origin: string, folder: string) => Promise<Caller>;

/** The minimum of a correct call: the request, its body read and parsed. */
const floor: Prepare = async ({ method, requestFor }, origin) => {
  // The pool that `@toolweave/http` creates, without its guard.
  const dispatcher = new Agent({
    allowH2: false,
    connections: 128,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return async (call) => {
    const { path, body } = requestFor(call);
    const headers = { accept: "application/json" };
    const response = await request(
      origin + path,
      body === undefined
        ? { dispatcher, method, headers }
        : { dispatcher, method, headers: { ...headers, "content-type": "application/json" }, body },
    );
    check(await response.body.json(), call);
  };
};

const toolweave: Prepare = async ({ document, argumentsFor }, origin) => {
  const registry = new ToolRegistry([openApiSource(document as JsonObject, { baseUrl: origin })]);
  await registry.ready;
  const [name = ""] = registry.toolset().names();
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  return async (call) => {
    const outcome = await executor.execute({ id: "1", name, arguments: argumentsFor(call) });
    check(outcome.status === "completed" ? outcome.result.value : outcome, call);
  };
};

/**
 * Like the judge's calls; arguments side by side, or the body's under the contender's name for it.
 */
function peer(name: string): Prepare {
  return async ({ name: task, document, argumentsFor }, origin, folder) => {
    const path = join(folder, `${name.replaceAll("/", "-")}-${task}.json`);
    writeFileSync(path, JSON.stringify(document));
    const contender = await contenders[name]?.();
    const tools = (await contender?.open(path, origin))?.tools ?? [];
    const [tool] = tools;
    if (tool === undefined || tools.length > 1) throw new Error(`${name} makes another tool of it`);
    const below = bodyName(tool.inputSchema, argumentsFor(1));
    return async (call) => {
      const args = argumentsFor(call);
      await tool.call(below === undefined ? args : { [below]: args });
    };
  };
}

/** The property under which a tool requires all of these arguments; undefined if side by side. */
function bodyName({ properties }: JsonSchema, args: object): string | undefined {
  const names = Object.keys((properties as JsonObject | undefined) ?? {});
  return Object.keys(args).every((one) => names.includes(one)) ? undefined : names[0];
}

function check(answer: unknown, call: number): void {
  if ((answer as { readonly id?: unknown } | undefined)?.id === call) return;
  throw new Error(`call ${call} was answered ${JSON.stringify(answer)}`);
}

export const callers: Readonly<Record<string, Prepare>> = {
  "undici.request": floor,
  toolweave,
  ...Object.fromEntries(
    Object.keys(contenders)
      .filter((name) => !name.startsWith("toolweave"))
      .map((name) => [name, peer(name)]),
  ),
};
