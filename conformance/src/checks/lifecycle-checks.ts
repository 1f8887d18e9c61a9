import type { SourceProblem, ToolSource } from "@toolweave/core";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { failed, messageOf, passed, withCauses, type Finding } from "../contract/finding.ts";
import { checkEach } from "../reading/check-each.ts";
import { jsonDefect } from "../reading/json-defect.ts";
import { isPointer } from "../reading/json-pointer.ts";
import { partFault } from "../reading/tool-parts.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";
import { endingChecks } from "./ending-checks.ts";
import { unusableSchemaChecks } from "./unusable-schema-checks.ts";

/** How a source begins, lives and ends. */
export const lifecycleChecks: readonly Check[] = [
  check("TW-LIFE-001", async (context) => {
    const done = "Called create() and waited for it.";
    try {
      const { source } = await context.fresh();
      const tools = source.tools();
      if (tools.length === 0) return failed("There are no tools to look at.", done, "[]");
      const alien = tools.findIndex((tool) => typeof tool?.invoke !== "function");
      return alien === -1
        ? passed(`${done} It has ${tools.length} tools.`)
        : failed(`What stands at ${alien} in the list is no tool.`, done, tools[alien]);
    } catch (error) {
      return failed("It does not become ready.", done, withCauses(error));
    }
  }),

  check("TW-LIFE-002", async (context) => {
    const subject = await context.fresh();
    const before = subject.names();
    const done = "Awaited ready a second and a third time.";
    try {
      await context.within(subject.source.ready, "ready");
      await context.within(subject.source.ready, "ready");
    } catch (error) {
      return failed("ready does not resolve again.", done, messageOf(error));
    }
    const after = subject.names();
    return before.join() === after.join()
      ? passed(done)
      : failed("Awaiting ready again changed the tools.", done, after);
  }),

  check("TW-LIFE-004", async (context) => {
    const { source } = await context.created();
    const early = source.tools();
    const whenEarly = [...early];
    await context.within(source.ready, "ready");
    const later = source.tools();
    const whenReady = [...later];
    await context.within(source.close(), "close()");
    const done = "Kept the lists from before ready and from when it is ready until it was closed.";
    if (differ(whenEarly, early)) {
      const seen = { before: whenEarly.length, after: early.length };
      return failed("The list is filled in place: whoever keeps it misses the change.", done, seen);
    }
    const seen = { before: whenReady.length, after: later.length };
    return differ(whenReady, later)
      ? failed("close changes the list in place that others may still use.", done, seen)
      : passed(done);
  }),

  check("TW-LIFE-005", (context) =>
    throughLife(
      context,
      "id",
      (source) => source.id,
      (id) =>
        typeof id === "string" && id.trim() !== ""
          ? undefined
          : "is no text that says something: it names the source in problems and audits",
    ),
  ),

  check("TW-LIFE-006", async (context) => {
    const { source } = await context.created();
    const done = "Called tools() before ready and after close.";
    const fault = (): string | undefined => {
      try {
        const tools: unknown = source.tools();
        return Array.isArray(tools) ? undefined : String(tools);
      } catch (error) {
        return messageOf(error);
      }
    };
    const early = fault();
    if (early !== undefined) {
      return failed("tools() gives no list before ready: give an empty one.", done, early);
    }
    await context.within(source.ready, "ready");
    await context.within(source.close(), "close()");
    const late = fault();
    return late === undefined
      ? passed(done)
      : failed("tools() gives no list after close: give an empty one, or the last.", done, late);
  }),

  check("TW-LIFE-013", async (context) => {
    const { problems } = (await context.subject()).source;
    const done = "Read problems.";
    if (!Array.isArray(problems)) return failed("problems is no list.", done, problems);
    const items = problems.map((problem: SourceProblem, at) => ({
      label: `problem ${at}`,
      problem,
    }));
    return checkEach(items, done, ({ problem }) => {
      const wrong = problemFault(problem);
      return wrong === undefined ? undefined : { wrong, seen: problem };
    });
  }),

  check("TW-LIFE-015", (context) =>
    throughLife(
      context,
      "secrets",
      (source) => source.secrets,
      (secrets) => (secrets === undefined || isSecretSet(secrets) ? undefined : "is no SecretSet"),
    ),
  ),

  check("TW-LIFE-016", (context) =>
    throughLife(
      context,
      "trustAnnotations",
      (source) => source.trustAnnotations,
      (trust) =>
        trust === undefined || typeof trust === "boolean" ? undefined : "is neither true nor false",
    ),
  ),

  check("TW-LIFE-018", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Read the parts of each tool", ({ tool }) => partFault(tool));
  }),

  check("TW-LIFE-019", async (context) => {
    const { source } = await context.fresh();
    const done = "Gave onChange a listener, and took it back twice.";
    const stop: unknown = source.onChange(() => {});
    if (typeof stop !== "function") {
      return failed("onChange gives no function that takes the listener back.", done, String(stop));
    }
    try {
      stop();
      stop();
      return passed(done);
    } catch (error) {
      return failed("A listener cannot be taken back twice.", done, messageOf(error));
    }
  }),

  check("TW-LIFE-020", async (context) => {
    const ids = [(await context.fresh()).source.id, (await context.subject()).source.id];
    const done = "Made it twice and compared the ids.";
    return ids[0] === ids[1]
      ? passed(done)
      : failed("The id is another one each time: nobody can refer to the source.", done, ids);
  }),

  check("TW-LIFE-021", async (context) => {
    using errors = new StrayErrors(context.manifest);
    const done = "Gave onChange a listener that throws, before ready, and waited for ready.";
    const wrong = await errors.run(async () => {
      const { source } = await context.created();
      source.onChange(() => {
        throw new Error("A listener threw this.");
      });
      try {
        await context.within(source.ready, "ready");
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    });
    await someTurns();
    if (wrong !== undefined) {
      return failed("It does not get ready when a listener throws: catch that.", done, wrong);
    }
    const [escaped] = errors.caught;
    return errors.caught.length === 0
      ? passed(done)
      : failed("What a listener throws escapes: it ends the process.", done, messageOf(escaped));
  }),

  ...unusableSchemaChecks,
  ...endingChecks,
];

function differ(copy: readonly unknown[], list: readonly unknown[]): boolean {
  return copy.length !== list.length || copy.some((tool, at) => tool !== list[at]);
}

/** Looks at something of a source before ready, when it is ready, and after close: it is to stay. */
async function throughLife(
  context: CheckContext,
  what: string,
  read: (source: ToolSource) => unknown,
  fault: (value: unknown) => string | undefined,
): Promise<Finding> {
  const { source } = await context.created();
  const done = `Read ${what} before ready, when it is ready, and after close.`;
  const early = read(source);
  await context.within(source.ready, "ready");
  const ready = read(source);
  await context.within(source.close(), "close()");
  const values = [early, ready, read(source)];
  const seen = values.map((value) => (what === "secrets" ? typeof value : String(value)));
  const wrong = values.map(fault).find((found) => found !== undefined);
  if (wrong !== undefined) return failed(`${what} ${wrong}.`, done, seen);
  return values.every((value) => value === early)
    ? passed(done)
    : failed(
        `${what} is not the same from beginning to end: a registry reads it once, when it gets the source.`,
        done,
        seen,
      );
}

function problemFault(problem: SourceProblem): string | undefined {
  const defect = jsonDefect(problem);
  if (defect !== undefined) return `is not plain JSON data: it has ${defect.what}`;
  if (typeof problem !== "object" || problem === null) return "is no object";
  for (const field of ["subject", "message"] as const) {
    const text: unknown = problem[field];
    if (typeof text !== "string" || text.trim() === "") return `has no ${field}`;
  }
  const { pointer, severity } = problem;
  if (pointer !== undefined && !isPointer(pointer)) {
    return "has a pointer that is no JSON pointer (RFC 6901)";
  }
  return severity === undefined || severity === "error" || severity === "warning"
    ? undefined
    : "has a severity that is neither error nor warning";
}

function isSecretSet(value: unknown): boolean {
  const set = value as { readonly version?: unknown; [Symbol.iterator]?: unknown } | null;
  return typeof set?.version === "number" && typeof set[Symbol.iterator] === "function";
}
