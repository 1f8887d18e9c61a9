import { nearNames } from "@toolweave/core/adapter";
import type { HookArtifact, ScriptText } from "./artifact.ts";
import type { Fields } from "./fields.ts";
import { acceptedEvents, firedEvents, hookKeys, isKnownEvent } from "./keys.ts";
import { readCode, readScript } from "./script-text.ts";
import {
  readAccess,
  readDialect,
  readLimits,
  readMetadata,
  readName,
  readTimeout,
} from "./settings.ts";
import type { ArtifactContext } from "./tool.ts";

/** Reads a hook. Faults are among the findings of the fields; the hook has everything that could be read. */
export function readHook(fields: Fields, context: ArtifactContext): HookArtifact {
  const name = readName(fields, "hook", context.stem);
  const event = readEvent(fields, name);
  const when = fields.has("when") ? readCode(fields, "when") : undefined;
  const { script } = readScript(fields, context);
  if (!fields.has("script") && !fields.has("script_file") && fields.get("script") !== null)
    fields.reportKey([], {
      code: "missing_field",
      message: `hook "${name}" has no script`,
      hint: "Add `script: |` with a function `handle(event, payload)`.",
    });
  const timeoutMs = readTimeout(fields, `hook "${name}"`);
  fields.string("description");
  const place = fields.keyPlace("name");
  return {
    kind: "hook",
    name,
    place,
    event,
    ...(when !== undefined && { when }),
    priority: fields.integer("priority") ?? 0,
    script: script ?? noScript(place.file),
    ...(timeoutMs !== undefined && { timeoutMs }),
    limits: readLimits(fields),
    access: readAccess(fields),
    dialect: readDialect(fields),
    metadata: readMetadata(fields, hookKeys),
  };
}

/** Stands for a script that is missing; the hook has an error then. */
function noScript(file: string): ScriptText {
  return { text: "", place: { file, line: 1, column: 1 } };
}

/** Names of other systems. */
const otherEvents: Readonly<Record<string, string>> = {
  toolbefore: "tool.pre",
  beforetool: "tool.pre",
  beforetoolcall: "tool.pre",
  pretooluse: "tool.pre",
  toolafter: "tool.post",
  aftertool: "tool.post",
  aftertoolcall: "tool.post",
  posttooluse: "tool.post",
};

function readEvent(fields: Fields, name: string): string {
  if (!fields.has("event")) {
    fields.reportKey([], {
      code: "missing_field",
      message: `hook "${name}" has no event`,
      hint: `Add event: ${firedEvents[0]} or event: ${firedEvents[1]}.`,
    });
    return "";
  }
  const event = fields.string("event") ?? "";
  if (event === "" || isKnownEvent(event)) return event;
  const alias = otherEvents[event.toLowerCase().replace(/[^a-z]/g, "")];
  const [near = alias] = nearNames(event, [...firedEvents, ...acceptedEvents], 1);
  fields.report("event", {
    code: "unknown_event",
    message: `hook "${name}" has the unknown event "${event}"`,
    hint:
      near === undefined
        ? "Events are tool.pre and tool.post; names of your own start with custom."
        : `Did you mean ${near}?`,
  });
  return event;
}
