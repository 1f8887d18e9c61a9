import {
  displayJson,
  displayLine,
  displayProse,
  type ApprovalRequest,
  type Interruption,
  type ToolOutcome,
} from "@toolweave/core";
import type { PendingCallRecord } from "@toolweave/core/stores";

import type { Guard } from "./guard.ts";
import { html, type Html } from "./html.ts";

/** The pending calls, each with a form to approve it and one to reject it. */
export function listPage(records: readonly PendingCallRecord[], guard: Guard): Html {
  const calls = records.map((record) => callArticle(record, guard));
  return page(calls.length === 0 ? [html`<p>Nothing waits for you.</p>`] : calls);
}

/** The result of an answer. */
export function outcomePage(name: string, outcome: ToolOutcome): Html {
  const what = outcome.interruption
    ? html`<p>It needs something more now, and waits again.</p>`
    : html`<pre>${describeOutcome(outcome)}</pre>`;
  return page([html`<h2>${displayLine(name)}: ${outcome.status}</h2>`, what, backToList]);
}

export function messagePage(text: string): Html {
  return page([html`<p>${text}</p>`, backToList]);
}

const backToList = html`<p><a href="/">What waits</a></p>`;

function callArticle({ interruption, status }: PendingCallRecord, guard: Guard): Html {
  const { id, call, requests, expiresAt } = interruption;
  const intents = requests.map((request) =>
    request.type === "approval"
      ? approvalItem(request)
      : html`<li>${request.type}: not to be answered here</li>`,
  );
  return html`<article>
    <h2>${displayLine(call.name)}</h2>
    <ul>
      ${intents}
    </ul>
    <p>Until ${new Date(expiresAt).toISOString()}</p>
    ${status === "pending" ? forms(interruption, guard) : html`<p>${explain(status)}</p>`}
    <small>${id}</small>
  </article>`;
}

/** The content of one request. Each value is on one line, with all of its spaces. */
function approvalItem({ permission, description, reason }: ApprovalRequest): Html {
  const { kind, target, summary, details } = permission;
  return html`<li>
    ${displayProse(summary)}
    <small
      >(<code>${displayLine(kind)} ${displayLine(target)}</code>; ${displayProse(reason)})</small
    >
    ${details === undefined ? "" : html`<p>Details: <code>${displayJson(JSON.stringify(details))}</code></p>`}
    ${description === undefined ? "" : html`<p>In its source's words: <q>${displayProse(description)}</q></p>`}
  </li>`;
}

function forms({ id, call }: Interruption, guard: Guard): Html {
  const hidden = (action: string): Html =>
    html`<input type="hidden" name="id" value="${id}" />
      <input type="hidden" name="csrf" value="${guard.formToken(action, id)}" />`;
  return html`<form method="post" action="/approve">
      ${hidden("/approve")}
      <label>
        Arguments; you may change them
        <textarea name="arguments" rows="6" cols="70" spellcheck="false">
${displayJson(JSON.stringify(call.arguments, undefined, 2))}</textarea>
      </label>
      <button>Approve</button>
    </form>
    <form method="post" action="/reject">
      ${hidden("/reject")}
      <label>Why not, for the model <input name="reason" size="50" /></label>
      <button>Reject</button>
    </form>`;
}

function explain(status: PendingCallRecord["status"]): string {
  return status === "unfinished"
    ? "The process that ran it did not finish. Check what it did; it is not run again."
    : "It is being run.";
}

function describeOutcome(outcome: Exclude<ToolOutcome, { status: "interrupted" }>): string {
  return outcome.result.content
    .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
    .join("\n");
}

function page(content: readonly Html[]): Html {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Approvals</title>
      <link rel="stylesheet" href="/style.css" />
      <h1>Approvals</h1>
      ${content}
    </html>`;
}

/** In a separate file, since inline styles are not allowed. */
export const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
article { border: 1px solid #999; border-radius: 0.5rem; padding: 0 1rem 1rem; margin: 1rem 0 }
label { display: block; margin: 0.5rem 0 }
textarea { display: block; font: 0.9rem/1.4 ui-monospace, monospace; max-width: 100% }
code { white-space: pre-wrap; overflow-wrap: anywhere }
pre { white-space: pre-wrap; background: #eee; padding: 0.5rem }
`;
