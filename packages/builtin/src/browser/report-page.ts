import { displayLine, type JsonObject, type ToolContext, type ToolOutput } from "@toolweave/core";
import { frameContent } from "@toolweave/core/adapter";
import type { BrowserSession } from "./browser-session.ts";
import { describeState, type Tab } from "./tab.ts";

/** Characters of a page that the model receives at once. */
const maxSnapshot = 30_000;
const maxMatches = 100;

/** Which part of a page is reported. */
export interface PageView {
  /** Lines about the action itself. */
  readonly lines?: readonly string[];
  /** Lines about it with texts of the page, which are a part of its data. */
  readonly pageLines?: readonly string[];
  /** Characters of the page to skip. */
  readonly offset?: number;
  /** Only the lines with this text. */
  readonly find?: string;
}

/** Reports what an action has led to: new tabs, downloads, refused hosts, a dialog, and the page itself. */
export async function reportPage(
  session: BrowserSession,
  tab: Tab,
  ctx: ToolContext,
  view: PageView = {},
): Promise<ToolOutput> {
  const downloads = await session.downloads.collect(ctx);
  const page = tab.page.isClosed() ? undefined : await readPage(session, tab, ctx, view);
  const { errors, refused, notes } = session.log.takeNews();
  const url = tab.page.url();
  const opened = session.takeNewTabs().filter((one) => one !== tab);
  const waiting = session.tabs.filter((one) => one !== tab && one.dialog !== undefined);
  const lines = [
    page === undefined ? `Tab ${tab.id} was closed.` : `Tab ${tab.id}: ${displayLine(url)}`,
    ...(view.lines ?? []),
    ...downloads.map(({ text }) => text),
    ...opened.map(({ id, page: other }) => `New tab ${id}: ${displayLine(other.url())}`),
    ...notes,
    ...(refused.length === 0
      ? []
      : [`Refused, because they are not on the list of hosts: ${displayLine(refused.join(", "))}`]),
    ...(errors === 0
      ? []
      : [`New errors on the console: ${errors}. The action console lists them.`]),
    ...(tab.chooser === undefined
      ? []
      : ["The page waits for files: browser_act with action upload."]),
    ...(page?.notes ?? []),
    ...waiting.map(
      ({ id }) =>
        `A dialog waits in tab ${id}. Answer it: browser with action tabs and tab ${id}, then browser_act with action dialog.`,
    ),
  ];
  const value: JsonObject = {
    url,
    tab: tab.id,
    tabs: session.tabs.map(({ id }) => id),
    ...(page?.nextOffset === undefined ? {} : { nextOffset: page.nextOffset }),
    ...(tab.dialog === undefined ? {} : { dialog: tab.dialog.type() }),
    ...(refused.length === 0 ? {} : { refused: [...refused] }),
  };
  return {
    content: [
      { type: "text", text: lines.join("\n") },
      ...(page === undefined
        ? []
        : frameContent(ctx.toolName, [{ type: "text", text: page.text }])),
    ],
    value,
    artifacts: downloads.flatMap(({ artifact }) => (artifact === undefined ? [] : [artifact])),
  };
}

interface ReadPage {
  readonly text: string;
  readonly notes: readonly string[];
  readonly nextOffset?: number;
}

async function readPage(
  session: BrowserSession,
  tab: Tab,
  ctx: ToolContext,
  { offset = 0, find, pageLines = [] }: PageView,
): Promise<ReadPage> {
  const { dialog } = tab;
  if (dialog !== undefined) {
    return {
      text: [
        `${dialog.type()}: ${dialog.message()}`,
        ...(dialog.defaultValue() === "" ? [] : [`Default: ${dialog.defaultValue()}`]),
      ].join("\n"),
      notes: [
        "A dialog stops the page. Answer it: browser_act with action dialog.",
        ...(dialog.type() === "beforeunload" ? ["To accept it leaves the page."] : []),
      ],
    };
  }
  const seen = await session.look(tab, ctx.signal);
  if ("blocking" in seen) {
    return {
      text: `Tab ${seen.blocking.id} ${describeState(seen.blocking).join(", ")}`,
      notes: [`The page does not respond while a dialog waits in tab ${seen.blocking.id}.`],
    };
  }
  const { tree, title, closedRoots, textFields, emptyFrames } = seen;
  // The title is of the page, too.
  const displayed = find === undefined ? tree : findLines(tree, find);
  const text = [...pageLines, `Title: ${displayLine(title)}`, displayed].join("\n");
  const hidden = [
    describeUnread(
      closedRoots,
      "closed shadow root",
      "content is not in the snapshot. A screenshot displays it.",
    ),
    describeUnread(
      textFields,
      "text field",
      "text is not in the snapshot. A screenshot displays it.",
    ),
    describeUnread(
      emptyFrames,
      "frame",
      "document is not loaded: it loads lazily, has no answer, or was refused.",
    ),
  ].flat();
  const end = offset + maxSnapshot;
  if (end >= text.length) return { text: text.slice(offset), notes: hidden };
  return {
    text: text.slice(offset, end),
    notes: [
      ...hidden,
      `This is a part of the page, up to character ${end} of ${text.length}. Read on: action snapshot with offset ${end}, or find.`,
    ],
    nextOffset: end,
  };
}

function describeUnread(count: number, name: string, rest: string): readonly string[] {
  return count === 0
    ? []
    : [`The page has ${count} ${name}${count === 1 ? "" : "s"}, whose ${rest}`];
}

function findLines(tree: string, text: string): string {
  const searched = text.toLowerCase();
  const lines = tree.split("\n").filter((line) => line.toLowerCase().includes(searched));
  const rest = lines.length - maxMatches;
  if (lines.length === 0) return "No line of the page has this text.";
  return [
    ...lines.slice(0, maxMatches).map((line) => line.trim()),
    ...(rest > 0 ? [`${rest} more lines`] : []),
  ].join("\n");
}
