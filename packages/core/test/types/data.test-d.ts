/* oxlint-disable vitest/expect-expect -- what the compiler refuses is the assertion */
import { describe, expectTypeOf, test } from "vitest";
import {
  errorCodes,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type Answer,
  type ContentBlock,
  type Interruption,
  type InterruptionRequest,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type RegistryInput,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolErrorCode,
  type ToolEvent,
  type ToolOutcome,
  type ToolResult,
  type ToolRun,
  type Toolset,
  type ToolSource,
  type ToolSpec,
} from "@toolweave/core";

declare const outcome: ToolOutcome;
declare const event: ToolEvent;
declare const spec: ToolSpec;
declare const call: ToolCall;
declare const result: ToolResult;
declare const request: InterruptionRequest;

describe("an outcome", () => {
  test("is narrowed by its status", () => {
    // @ts-expect-error an interrupted call has no result
    void outcome.result.value;
    expectTypeOf(outcome.result?.value).toEqualTypeOf<JsonValue | undefined>();
    expectTypeOf(outcome.error?.code).toEqualTypeOf<ToolErrorCode | undefined>();
    expectTypeOf(outcome.interruption?.id).toEqualTypeOf<string | undefined>();
    if (outcome.status === "interrupted") {
      expectTypeOf(outcome.interruption).toEqualTypeOf<Interruption>();
      expectTypeOf(outcome.result).toEqualTypeOf<undefined>();
    } else if (outcome.status === "failed") {
      expectTypeOf(outcome.error).toEqualTypeOf<ToolError>();
      expectTypeOf(outcome.result).toEqualTypeOf<ToolResult>();
    } else {
      expectTypeOf(outcome.status).toEqualTypeOf<"completed">();
      expectTypeOf(outcome.error).toEqualTypeOf<ToolError | undefined>();
      expectTypeOf(outcome.result).toEqualTypeOf<ToolResult>();
    }
  });

  test("is narrowed by ok and interruption, and has no error for certain before both", () => {
    if (outcome.ok) {
      expectTypeOf(outcome.result).toEqualTypeOf<ToolResult>();
      return;
    }
    // @ts-expect-error a call that waits for a person has no error
    void outcome.error.code;
    if (outcome.interruption) {
      expectTypeOf(outcome.interruption).toEqualTypeOf<Interruption>();
      return;
    }
    expectTypeOf(outcome.error).toEqualTypeOf<ToolError>();
  });

  test("is returned by every way to run a call", () => {
    expectTypeOf<ReturnType<ToolExecutor["execute"]>>().toEqualTypeOf<Promise<ToolOutcome>>();
    expectTypeOf<ReturnType<ToolExecutor["resume"]>>().toEqualTypeOf<Promise<ToolOutcome>>();
    expectTypeOf<ReturnType<ToolRun["executeAll"]>>().toEqualTypeOf<
      Promise<readonly ToolOutcome[]>
    >();
    expectTypeOf<ReturnType<ToolRun["checkAdmission"]>>().toEqualTypeOf<
      Promise<ToolOutcome | undefined>
    >();
  });
});

describe("plain data", () => {
  test("is read-only", () => {
    // @ts-expect-error read-only
    spec.name = "x";
    // @ts-expect-error read-only
    spec.annotations.readOnlyHint = true;
    // @ts-expect-error read-only
    spec.inputSchema["type"] = "string";
    // @ts-expect-error read-only
    call.name = "x";
    // @ts-expect-error read-only
    result.isError = false;
    // @ts-expect-error read-only
    result.content.push({ type: "text", text: "x" });
  });

  test("is JSON", () => {
    expectTypeOf<JsonObject>().toExtend<JsonValue>();
    expectTypeOf<JsonSchema>().toExtend<JsonObject>();
    expectTypeOf<Date>().not.toExtend<JsonValue>();
    expectTypeOf<() => void>().not.toExtend<JsonValue>();
    expectTypeOf<undefined>().not.toExtend<JsonValue>();
    expectTypeOf(result.value).toEqualTypeOf<JsonValue | undefined>();
  });

  test("accepts no undefined for an optional field", () => {
    // @ts-expect-error leave it out
    const bad: ToolSpec = { ...spec, timeoutMs: undefined };
    const good: ToolSpec = { ...spec, timeoutMs: 1 };
    void [bad, good];
  });
});

describe("a content block, a request, an answer and an event", () => {
  test("are narrowed by their type", () => {
    const block = result.content[0] as ContentBlock;
    if (block.type === "resource_link") expectTypeOf(block.uri).toEqualTypeOf<string>();
    if (block.type === "image" || block.type === "audio")
      expectTypeOf(block.mimeType).toEqualTypeOf<string>();
    if (request.type === "result") expectTypeOf(request.arguments).toEqualTypeOf<JsonObject>();
    // @ts-expect-error only an approval has a permission
    void request.permission;
    const answer = {} as Answer;
    if (answer.type === "reject") expectTypeOf(answer.reason).toEqualTypeOf<string | undefined>();
    if (event.type === "tool.failed") expectTypeOf(event.code).toEqualTypeOf<ToolErrorCode>();
    if (event.type === "registry.changed") {
      expectTypeOf(event.added).toEqualTypeOf<readonly string[]>();
      // @ts-expect-error the registry is no call
      void event.callId;
    }
    // @ts-expect-error an answer of no kind
    const none: Answer = { type: "maybe" };
    void none;
  });
});

describe("an error code", () => {
  test("is one of the table", () => {
    expectTypeOf<keyof typeof errorCodes>().toEqualTypeOf<ToolErrorCode>();
    // @ts-expect-error there is no such code
    void new ToolError("oops", "x");
    expectTypeOf(ToolError.is).guards.toEqualTypeOf<ToolError>();
  });
});

describe("a host", () => {
  test("passes tools, sources, promises of sources and lists of them", () => {
    expectTypeOf<Tool>().toExtend<RegistryInput>();
    expectTypeOf<ToolSource>().toExtend<RegistryInput>();
    expectTypeOf<Promise<ToolSource>>().toExtend<RegistryInput>();
    expectTypeOf<readonly (Tool | ToolSource)[]>().toExtend<RegistryInput>();
    // @ts-expect-error an object is no tool
    void new ToolRegistry([{ name: "x" }]);
    // @ts-expect-error an executor needs a registry
    void new ToolExecutor({});
    // @ts-expect-error there is no such policy
    void new ToolExecutor({ registry: new ToolRegistry(), policy: "yolo" });
  });

  test("iterates over a toolset's tools", () => {
    const toolset = {} as Toolset;
    for (const tool of toolset) expectTypeOf(tool).toEqualTypeOf<Tool>();
    expectTypeOf(toolset.get("x")).toEqualTypeOf<Tool | undefined>();
    expectTypeOf(toolset.specs()).toEqualTypeOf<readonly ToolSpec[]>();
  });

  test("sees in the context only the fields that every tool has; the others are optional", () => {
    const ctx = {} as ToolContext;
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
    expectTypeOf(ctx.caller?.id).toEqualTypeOf<string | undefined>();
    // @ts-expect-error a call need not have been suspended
    void ctx.resumed.state;
    // @ts-expect-error the context is read-only
    ctx.attempt = 2;
  });
});
