import { canonicalJson } from "../json/canonical-json.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { argumentsSchemaOf } from "../contract/tool.ts";
import type { InterruptionRequest } from "../contract/interruption.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/json.ts";
import type { Redactor } from "../contract/redactor.ts";
import { maskArguments } from "./secret-arguments.ts";
import { mask } from "./spans.ts";

/** The parts of a call that are displayed to a person. */
export interface DisplayedCall {
  readonly arguments: JsonObject;
  readonly requests: readonly InterruptionRequest[];
}

/** Redacts a pending call for the person who decides; returns the same objects if they contain no secret. */
export function redactCallForApproval<Given extends DisplayedCall>(
  execution: CallInfo,
  given: Given,
): Given {
  const redactor = execution.redactor;
  if (redactor === undefined) return given;
  const args = redactKnownArguments(execution, given.arguments, redactor);
  const requests = given.requests.map((request) => redactRequest(execution, request, redactor));
  const same = requests.every((request, index) => request === given.requests[index]);
  if (args === given.arguments && same) return given;
  return { ...given, arguments: args, requests: same ? given.requests : requests };
}

/** Without what the tool's schema calls secret, and what is. */
function redactKnownArguments(
  { entry, toolset, call }: CallInfo,
  args: JsonObject,
  redactor: Redactor,
): JsonObject {
  const tool = (entry ?? toolset.callable(call.name))?.tool;
  const masked = tool === undefined ? args : maskArguments(args, argumentsSchemaOf(tool));
  const displayed = redactor.redactReport(masked);
  return masked === args || canonicalJson(displayed) !== canonicalJson(args) ? displayed : args;
}

/** The same of arguments as a model has sent them: an object, its JSON text, or anything else. */
export function redactArguments(execution: CallInfo, args: JsonValue): JsonValue {
  const redactor = execution.redactor;
  if (redactor === undefined) return args;
  if (typeof args !== "string") {
    return isObject(args)
      ? redactKnownArguments(execution, args, redactor)
      : redactor.redactReport(args);
  }
  const read = parsed(args);
  if (!isObject(read)) return redactor.redactReport(args);
  const displayed = redactKnownArguments(execution, read, redactor);
  return displayed === read ? redactor.redactReport(args) : JSON.stringify(displayed);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function redactRequest(
  execution: CallInfo,
  request: InterruptionRequest,
  redactor: Redactor,
): InterruptionRequest {
  // Answers name it by its id, and a link that is changed leads nowhere.
  const { id: _id, type: _type, ...rest } = request;
  const { url, schema, call, arguments: args, ...words } = rest as Record<string, unknown>;
  const displayed: Record<string, unknown> = { ...redactor.redactReport(words) };
  if (url !== undefined) displayed["url"] = redactor.registered(url as string);
  if (schema !== undefined) displayed["schema"] = redactor.value(schema as JsonValue);
  if (args !== undefined) {
    displayed["arguments"] = redactKnownArguments(execution, args as JsonObject, redactor);
  }
  if (call !== undefined) {
    const { call: own } = execution;
    const of = call as { readonly id: string; readonly arguments?: unknown };
    const given = of.arguments as JsonObject;
    displayed["call"] = {
      ...of,
      arguments:
        of.id === own.id
          ? redactKnownArguments(execution, given, redactor)
          : redactor.redactReport(given),
    };
  }
  const all = { ...request, ...displayed };
  return canonicalJson(all) === canonicalJson(request) ? request : all;
}

/**
 * Restores the masked parts in arguments that a person has edited: a mask at its original place becomes the value that
 * it masks.
 *
 * @throws Error for a mask at another place.
 */
export function restoreMasked(
  edited: JsonObject,
  displayed: JsonObject,
  original: JsonObject,
): JsonObject {
  return unmask(edited, displayed, original) as JsonObject;
}

function unmask(
  edited: JsonValue,
  displayed: JsonValue | undefined,
  original: JsonValue | undefined,
): JsonValue {
  if (typeof edited === "string") {
    if (edited === displayed) return original as JsonValue;
    if (!edited.includes(mask)) return edited;
    throw new Error(
      `It holds ${mask} where that was not shown: write what is meant, or leave each such text as it was shown.`,
    );
  }
  if (typeof edited !== "object" || edited === null) return edited;
  if (Array.isArray(edited)) {
    const items = edited as readonly JsonValue[];
    const before = Array.isArray(displayed) && displayed.length === items.length ? displayed : [];
    const meant = before.length > 0 ? (original as readonly JsonValue[]) : [];
    return items.map((item, index) => unmask(item, before[index] as JsonValue, meant[index]));
  }
  const before = isObject(displayed) ? displayed : {};
  const meant = isObject(displayed) ? (original as JsonObject) : {};
  // Not by their order: a store of interruptions may have changed it.
  const hidden = Object.keys(meant).filter(
    (key) => key.includes(mask) || !Object.hasOwn(before, key),
  );
  return Object.fromEntries(
    Object.entries(edited).map(([key, value]) => {
      const isDisplayed = Object.hasOwn(before, key);
      const name = !key.includes(mask)
        ? key
        : isDisplayed && hidden.length === 1
          ? (hidden[0] as string)
          : (unmask(key, undefined, undefined) as string);
      const same = isDisplayed && Object.hasOwn(meant, name);
      return [
        name,
        same ? unmask(value, before[key], meant[name]) : unmask(value, undefined, undefined),
      ];
    }),
  );
}
