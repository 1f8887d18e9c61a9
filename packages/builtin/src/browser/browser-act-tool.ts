import {
  defineTool,
  displayLine,
  ToolError,
  type PermissionRequest,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import type { Locator } from "playwright-core";
import type { BrowserSession, Intent } from "./browser-session.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import { clickElement } from "./page/click-element.ts";
import { selectOptions } from "./page/list-options.ts";
import { describeElement } from "./page/page-elements.ts";
import { reportPage } from "./report-page.ts";
import { describeDialog, rejectDialog, type Tab } from "./tab.ts";

const actions = ["click", "fill", "select", "press", "upload", "dialog"] as const;

interface Arguments {
  readonly action: (typeof actions)[number];
  readonly ref?: string;
  readonly text?: string;
  readonly submit?: boolean;
  readonly double?: boolean;
  readonly values?: readonly string[];
  readonly key?: string;
  readonly artifacts?: readonly string[];
  readonly accept?: boolean;
}

/** The arguments that an action cannot do without. */
const needed: Readonly<Record<Arguments["action"], readonly (keyof Arguments)[]>> = {
  click: ["ref"],
  fill: ["ref", "text"],
  select: ["ref", "values"],
  press: ["key"],
  upload: ["artifacts"],
  dialog: ["accept"],
};

/** Bytes of a file that a page receives. */
const maxUpload = 50_000_000;

/** The tool `browser_act`, which acts on the page that `browser` has opened. */
export function browserActTool(sessions: BrowserSessions): Tool {
  return defineTool({
    name: "browser_act",
    description:
      "Act on the page in the browser: on elements by their references in its last snapshot, and on dialogs. Each action returns a new snapshot.",
    input: {
      type: "object",
      properties: {
        action: {
          type: "string",
          enum: actions,
          description:
            "click ref; fill text into ref; select values of ref; press key, on ref or on what has the focus; upload artifacts to ref, or to the page that waits for files; dialog: answer it with accept, and text for a prompt.",
        },
        ref: { type: "string", minLength: 1, maxLength: 20 },
        text: { type: "string", maxLength: 100_000 },
        submit: { type: "boolean", description: "Press Enter after fill. Default: false." },
        double: { type: "boolean", description: "Click twice. Default: false." },
        values: {
          type: "array",
          items: { type: "string" },
          maxItems: 100,
          description:
            "Labels of options, as the snapshot has them; values of options without such a label.",
        },
        key: {
          type: "string",
          minLength: 1,
          maxLength: 50,
          description: "Such as Enter, ArrowDown or Control+A.",
        },
        artifacts: {
          type: "array",
          items: { type: "string", minLength: 1 },
          minItems: 1,
          maxItems: 10,
          description: "Keys of artifacts.",
        },
        accept: { type: "boolean" },
      },
      required: ["action"],
      additionalProperties: false,
    },
    annotations: {
      openWorldHint: true,
      access: { network: true, filesystem: "none", process: true },
    },
    timeoutMs: 120_000,
    outputLimit: { maxBytes: 200_000 },
    preflight: (args, ctx) => {
      checkArguments(args as Arguments);
      const session = sessions.get(ctx);
      return [toPermission(args as Arguments, session.propose(ctx.callId, args.ref))];
    },
    execute: (args, ctx) => {
      const session = sessions.use(ctx);
      return session.exclusive(ctx.signal, () => act(session, args as Arguments, ctx));
    },
  });
}

/** @throws ToolError `invalid_arguments` */
function checkArguments(args: Arguments): void {
  const missing = needed[args.action].filter((name) => args[name] === undefined);
  if (missing.length === 0) return;
  throw new ToolError(
    "invalid_arguments",
    `The action ${args.action} needs ${missing.join(" and ")}.`,
  );
}

/** The question to a person: the page, the action and the element. */
function toPermission(args: Arguments, { tab, url, element, dialog }: Intent): PermissionRequest {
  const { action, text, values, key, artifacts } = args;
  const { origin, pathname } = URL.parse(url) ?? { origin: "null", pathname: url };
  const subject =
    action === "dialog"
      ? `${args.accept === true ? "accept" : "dismiss"} ${describeElement({ role: dialog?.type() ?? "dialog", name: dialog?.message() ?? "" })}`
      : [
          action,
          ...(key === undefined ? [] : [key]),
          ...(element === undefined ? [] : [describeElement(element)]),
        ].join(" ");
  const page = origin === "null" ? url : `${origin}${pathname}`;
  return {
    kind: "custom.browser_action",
    // The page is first: a rule for it cannot be met by a name that another page has chosen.
    target: `${page} ${subject}`,
    summary: displayLine(`${subject} on ${page}`),
    details: {
      url,
      tab: tab.id,
      ...(text === undefined ? {} : { text }),
      ...(values === undefined ? {} : { values: [...values] }),
      ...(artifacts === undefined ? {} : { artifacts: [...artifacts] }),
    },
  };
}

async function act(
  session: BrowserSession,
  args: Arguments,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const intent = session.take(ctx.callId, args.ref);
  const { tab } = intent;
  const { signal } = ctx;
  if (args.action === "dialog") {
    if (tab.dialog === undefined || tab.dialog !== intent.dialog)
      throw toMissingDialog(session, intent);
    const { accept = false, text } = args;
    await session.answerDialog(tab, signal, { accept, ...(text === undefined ? {} : { text }) });
    return reportPage(session, tab, ctx);
  }
  rejectDialog(tab);
  const files = args.action === "upload" ? await readArtifacts(args.artifacts ?? [], ctx) : [];
  const element =
    args.ref === undefined ? undefined : await session.locate(intent, args.ref, signal);
  if (element === undefined && tab.page.url() !== intent.url) {
    throw new ToolError(
      "invalid_arguments",
      "The page has changed. Nothing was done. Call browser with action snapshot.",
    );
  }
  let selected: readonly string[] = [];
  try {
    await session.perform(tab, signal, async () => {
      selected = await actOn(intent, element, args, files, signal);
    });
  } catch (error) {
    throw toActionError(error as Error);
  }
  const labels = selected.map((label) => JSON.stringify(displayLine(label))).join(", ");
  return reportPage(session, tab, ctx, labels === "" ? {} : { pageLines: [`Selected: ${labels}`] });
}

function toMissingDialog(session: BrowserSession, { tab, dialog }: Intent): ToolError {
  const elsewhere = session.tabs.filter((one) => one !== tab && one.dialog !== undefined);
  const found = elsewhere.map(
    ({ id, dialog: other }) =>
      `Tab ${id} has one${other === undefined ? "" : `: ${describeDialog(other)}`}. Call browser with action tabs and tab ${id} first.`,
  );
  const missing =
    dialog === undefined
      ? `Tab ${tab.id} has no dialog.`
      : `Tab ${tab.id} does not have the dialog ${describeDialog(dialog)} any more.`;
  return new ToolError("invalid_arguments", [missing, ...found].join(" "));
}

interface UploadedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

async function readArtifacts(keys: readonly string[], ctx: ToolContext): Promise<UploadedFile[]> {
  const files: UploadedFile[] = [];
  for (const key of keys) {
    const { ref, bytes } = await ctx.artifacts
      .read(key)
      .then((stored) => ({ ref: stored.ref, bytes: () => stored.bytes() }));
    if (ref.size > maxUpload) {
      throw new ToolError(
        "limit_exceeded",
        `The artifact ${key} has ${ref.size} bytes, and the maximum is ${maxUpload}.`,
      );
    }
    files.push({
      name: ref.name ?? key,
      mimeType: ref.mediaType,
      buffer: Buffer.from(await bytes()),
    });
  }
  return files;
}

async function actOn(
  { tab }: Intent,
  element: Locator | undefined,
  { action, text = "", submit = false, double = false, values = [], key = "" }: Arguments,
  files: UploadedFile[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  switch (action) {
    case "click":
      if (element !== undefined) await clickElement(element, double, signal);
      break;
    case "fill":
      await element?.fill(text, { signal });
      if (submit) await element?.press("Enter", { signal });
      break;
    case "select":
      return element === undefined ? [] : selectOptions(element, values, signal);
    case "press":
      await (element === undefined ? tab.page.keyboard.press(key) : element.press(key, { signal }));
      break;
    default:
      await uploadTo(tab, element, files, signal);
  }
  return [];
}

/** Gives files to an element, or to the page if it waits for them. */
async function uploadTo(
  tab: Tab,
  element: Locator | undefined,
  files: UploadedFile[],
  signal: AbortSignal,
): Promise<void> {
  const { chooser } = tab;
  delete tab.chooser;
  if (element !== undefined) return element.setInputFiles(files, { signal });
  if (chooser === undefined) {
    throw new ToolError(
      "invalid_arguments",
      `The page in tab ${tab.id} does not wait for files: name ref. Nothing was done.`,
    );
  }
  try {
    await chooser.setFiles(files);
  } catch (error) {
    if (isToolOrAbort(error as Error)) throw error;
    throw new ToolError(
      "invalid_arguments",
      `The element that waited for files in tab ${tab.id} takes them no longer, or takes fewer files. Call browser with action snapshot.`,
      { cause: error },
    );
  }
}

/** Why Playwright could not act, by the words of its log. */
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/intercepts pointer events/, "another element covers it"],
  [/element is not enabled/, "it is disabled"],
  [/element is not visible/, "it is not visible"],
  [/element is not editable|not an <input>/, "it takes no text"],
  [/outside of the viewport/, "it is outside of the window"],
  [/element is not stable/, "it moves"],
  [/not an HTMLInputElement|Node is not an HTMLInputElement/, "it takes no files"],
  [/Cannot type text into input\[type=number\]/, "it takes numbers only"],
  [/Unknown key/, "there is no such key"],
];

function toActionError(error: Error): Error {
  if (isToolOrAbort(error)) return error;
  const reason = reasons.find(([pattern]) => pattern.test(error.message))?.[1];
  return new ToolError(
    "execution_failed",
    `The action was not possible${reason === undefined ? "" : `: ${reason}`}. Nothing was done, unless the page has changed: call browser with action snapshot.`,
    { cause: error },
  );
}

function isToolOrAbort(error: Error): boolean {
  return ToolError.is(error) || error.name === "AbortError";
}
