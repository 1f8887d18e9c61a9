import type { ToolSource } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import {
  failed,
  formatError,
  passed,
  formatErrorWithCauses,
  type Finding,
} from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import { findJsonDefect, isPointer } from "../../faults/json-defect.ts";
import { findMemberFault } from "../../faults/read-spec.ts";
import { waitForTurns, EscapedErrors } from "../../context/escaped-errors.ts";
import { endingChecks } from "./ending-checks.ts";
import { unusableSchemaChecks } from "./unusable-schema-checks.ts";

/** Checks of the lifecycle of a source. */
export const lifecycleChecks: readonly Check[] = [
  defineCheck("TW-LIFE-001", async (context) => {
    const done = "Called create() and awaited ready.";
    try {
      const { source } = await context.createReady();
      const tools = source.tools();
      if (tools.length === 0) return failed("There are no tools to check.", done, "[]");
      const alien = tools.findIndex((tool) => typeof tool?.invoke !== "function");
      return alien === -1
        ? passed(`${done} It has ${tools.length} tools.`)
        : failed(`The item at index ${alien} of the list is not a tool.`, done, tools[alien]);
    } catch (error) {
      return failed("It does not become ready.", done, formatErrorWithCauses(error));
    }
  }),

  defineCheck("TW-LIFE-002", async (context) => {
    const subject = await context.createReady();
    const before = subject.names();
    const done = "Awaited ready a second and a third time.";
    try {
      await context.withDeadline(subject.source.ready, "ready");
      await context.withDeadline(subject.source.ready, "ready");
    } catch (error) {
      return failed("ready does not resolve again.", done, formatError(error));
    }
    const after = subject.names();
    return before.join() === after.join()
      ? passed(done)
      : failed("Awaiting ready again changed the tools.", done, after);
  }),

  defineCheck("TW-LIFE-004", async (context) => {
    const { source } = await context.create();
    const early = source.tools();
    const whenEarly = [...early];
    await context.withDeadline(source.ready, "ready");
    const later = source.tools();
    const whenReady = [...later];
    await context.withDeadline(source.close(), "close()");
    const done =
      "Compared the lists from before ready and from ready with their contents after close.";
    if (listsDiffer(whenEarly, early)) {
      const seen = { before: whenEarly.length, after: early.length };
      return failed("The list is filled in place, so that its users miss the change.", done, seen);
    }
    const seen = { before: whenReady.length, after: later.length };
    return listsDiffer(whenReady, later)
      ? failed("close() modifies a list that may still be in use.", done, seen)
      : passed(done);
  }),

  defineCheck("TW-LIFE-005", (context) =>
    checkConstantMember(
      context,
      "id",
      (source) => source.id,
      (id) =>
        typeof id === "string" && id.trim() !== ""
          ? undefined
          : "is not a string, or is blank: it identifies the source in problems and audit records",
    ),
  ),

  defineCheck("TW-LIFE-006", async (context) => {
    const { source } = await context.create();
    const done = "Called tools() before ready and after close.";
    const fault = (): string | undefined => {
      try {
        const tools: unknown = source.tools();
        return Array.isArray(tools) ? undefined : String(tools);
      } catch (error) {
        return formatError(error);
      }
    };
    const early = fault();
    if (early !== undefined) {
      return failed("tools() returns no list before ready: return an empty one.", done, early);
    }
    await context.withDeadline(source.ready, "ready");
    await context.withDeadline(source.close(), "close()");
    const late = fault();
    return late === undefined
      ? passed(done)
      : failed(
          "tools() returns no list after close: return an empty one or the last one.",
          done,
          late,
        );
  }),

  defineCheck("TW-LIFE-013", async (context) => {
    const { problems } = (await context.subject()).source;
    const done = "Read problems.";
    if (!Array.isArray(problems)) return failed("problems is not a list.", done, problems);
    const items = problems.map((problem: SourceProblem, at) => ({
      label: `problem ${at}`,
      problem,
    }));
    return checkEach(items, done, ({ problem }) => {
      const wrong = findProblemFault(problem);
      return wrong === undefined ? undefined : { wrong, seen: problem };
    });
  }),

  defineCheck("TW-LIFE-015", (context) =>
    checkConstantMember(
      context,
      "secrets",
      (source) => source.secrets,
      (secrets) =>
        secrets === undefined || isSecretSet(secrets) ? undefined : "is not a SecretSet",
    ),
  ),

  defineCheck("TW-LIFE-016", (context) =>
    checkConstantMember(
      context,
      "trustAnnotations",
      (source) => source.trustAnnotations,
      (trust) =>
        trust === undefined || typeof trust === "boolean" ? undefined : "is not a boolean",
    ),
  ),

  defineCheck("TW-LIFE-018", async (context) => {
    const { tools } = await context.subject();
    return checkEach(tools, "Read the members of each tool", ({ tool }) => findMemberFault(tool));
  }),

  defineCheck("TW-LIFE-019", async (context) => {
    const { source } = await context.createReady();
    const done = "Added a listener and removed it twice.";
    const stop: unknown = source.onChange(() => {});
    if (typeof stop !== "function") {
      return failed("onChange does not return a function.", done, String(stop));
    }
    try {
      stop();
      stop();
      return passed(done);
    } catch (error) {
      return failed("A listener cannot be removed twice.", done, formatError(error));
    }
  }),

  defineCheck("TW-LIFE-020", async (context) => {
    const ids = [(await context.createReady()).source.id, (await context.subject()).source.id];
    const done = "Created it twice and compared the ids.";
    return ids[0] === ids[1]
      ? passed(done)
      : failed("The id differs each time, so that it cannot identify the source.", done, ids);
  }),

  defineCheck("TW-LIFE-021", async (context) => {
    using errors = new EscapedErrors(context.manifest);
    const done = "Added a listener that throws before ready, and awaited ready.";
    const wrong = await errors.run(async () => {
      const { source } = await context.create();
      source.onChange(() => {
        throw new Error("A listener threw this.");
      });
      try {
        await context.withDeadline(source.ready, "ready");
        return undefined;
      } catch (error) {
        return formatError(error);
      }
    });
    await waitForTurns();
    if (wrong !== undefined) {
      return failed("It does not become ready if a listener throws: catch the error.", done, wrong);
    }
    const [escaped] = errors.caught;
    return errors.caught.length === 0
      ? passed(done)
      : failed(
          "An error of a listener escapes, which would end the process.",
          done,
          formatError(escaped),
        );
  }),

  ...unusableSchemaChecks,
  ...endingChecks,
];

function listsDiffer(copy: readonly unknown[], list: readonly unknown[]): boolean {
  return copy.length !== list.length || copy.some((tool, at) => tool !== list[at]);
}

/**
 * Checks that a member of a source stays the same before ready, when it is ready, and after close.
 */
async function checkConstantMember(
  context: CheckContext,
  what: string,
  read: (source: ToolSource) => unknown,
  fault: (value: unknown) => string | undefined,
): Promise<Finding> {
  const { source } = await context.create();
  const done = `Read ${what} before ready, when it is ready, and after close.`;
  const early = read(source);
  await context.withDeadline(source.ready, "ready");
  const ready = read(source);
  await context.withDeadline(source.close(), "close()");
  const values = [early, ready, read(source)];
  const seen = values.map((value) => (what === "secrets" ? typeof value : String(value)));
  const wrong = values.map(fault).find((found) => found !== undefined);
  if (wrong !== undefined) return failed(`${what} ${wrong}.`, done, seen);
  return values.every((value) => value === early)
    ? passed(done)
    : failed(`${what} changes: a registry reads it once, when the source is added.`, done, seen);
}

function findProblemFault(problem: SourceProblem): string | undefined {
  const defect = findJsonDefect(problem);
  if (defect !== undefined) return `is not plain JSON data: it has ${defect.what}`;
  if (typeof problem !== "object" || problem === null) return "is not an object";
  for (const field of ["subject", "message"] as const) {
    const text: unknown = problem[field];
    if (typeof text !== "string" || text.trim() === "") return `has no ${field}`;
  }
  const { pointer, severity } = problem;
  if (pointer !== undefined && !isPointer(pointer)) {
    return "has a pointer that is not a JSON pointer (RFC 6901)";
  }
  return severity === undefined || severity === "error" || severity === "warning"
    ? undefined
    : "has a severity that is neither error nor warning";
}

function isSecretSet(value: unknown): boolean {
  const set = value as { readonly version?: unknown; [Symbol.iterator]?: unknown } | null;
  return typeof set?.version === "number" && typeof set[Symbol.iterator] === "function";
}
