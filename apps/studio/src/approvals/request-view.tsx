import type { GrantProposal, InterruptionRequest, JsonSchema } from "@toolweave/core";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Form } from "../form/form.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { safeLine, safeProse, safeText } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ExternalLink } from "../ui/text.tsx";
import { grantOptions, type GrantOption, type RequestDraft } from "./answers.ts";

interface RequestProps<Request extends InterruptionRequest = InterruptionRequest> {
  readonly request: Request;
  readonly draft: RequestDraft;
  readonly onChange: (draft: RequestDraft) => void;
}

/** One thing that a call waits for. */
export function RequestView(props: RequestProps) {
  const { request } = props;
  switch (request.type) {
    case "approval":
      return <ApprovalRequestView {...props} request={request} />;
    case "auth":
      return <SignIn request={request} />;
    case "input":
      return (
        <section class="request">
          <h3>
            <Badge tone="accent">question</Badge>
          </h3>
          <p class="description">{safeText(request.message)}</p>
          {request.schema === undefined ? (
            <ValueField {...props} label="Answer: text, or JSON" />
          ) : (
            <AnswerForm {...props} schema={request.schema} />
          )}
        </section>
      );
    case "result":
      return (
        <section class="request">
          <h3>
            <Badge tone="accent">result of the host</Badge>
          </h3>
          <p>The host runs this tool itself. Enter its result.</p>
          <ValueField {...props} label="Result as JSON" />
        </section>
      );
  }
}

function ApprovalRequestView(
  props: RequestProps<Extract<InterruptionRequest, { type: "approval" }>>,
) {
  const { request, draft, onChange } = props;
  const { permission, reason, remedy, grant, description, call, id } = request;
  return (
    <section class="request">
      <h3 class="request-summary">{safeProse(permission.summary)}</h3>
      <dl class="facts">
        <div>
          <dt>Permission</dt>
          <dd>
            <Badge>{safeLine(permission.kind)}</Badge>{" "}
            <code class="code">{safeLine(permission.target)}</code>
          </dd>
        </div>
        <div>
          <dt>Reason</dt>
          <dd>{safeProse(reason)}</dd>
        </div>
        {remedy !== undefined && (
          <div>
            <dt>To change it</dt>
            <dd>{safeProse(remedy)}</dd>
          </div>
        )}
        {description !== undefined && (
          <div>
            <dt>The source says</dt>
            <dd class="muted">{safeText(description)} (unverified)</dd>
          </div>
        )}
        {call !== undefined && (
          <div>
            <dt>Nested call</dt>
            <dd>
              <code class="code">{safeLine(call.name)}</code>
            </dd>
          </div>
        )}
      </dl>
      {permission.details !== undefined && (
        <JsonView value={permission.details} label="Details of the permission" />
      )}
      {grant === undefined ? (
        <p class="muted">The policy asks for this every time: no grant can be stored.</p>
      ) : (
        <fieldset class="grants">
          <legend>The approval holds for</legend>
          {grantOptions.map(([option, text]) => (
            <label key={option} class="check">
              <input
                type="radio"
                name={`grant-${id}`}
                checked={draft.grant === option}
                onChange={() => onChange({ ...draft, grant: option })}
              />
              {text}
            </label>
          ))}
          {draft.grant !== "once" && <StoredGrant grant={grant} option={draft.grant} />}
        </fieldset>
      )}
    </section>
  );
}

/** Exactly what would be stored. */
function StoredGrant({ grant, option }: { grant: GrantProposal; option: GrantOption }) {
  const isAny = option.endsWith("-any");
  return (
    <div class="stored-grant">
      <p>
        Calls of <code class="code">{safeLine(grant.tool)}</code>
        {grant.caller === undefined ? "" : ` for ${safeLine(grant.caller.id)}`} with the permission{" "}
        <code class="code">
          {safeLine(grant.permission.kind)} {safeLine(grant.permission.target)}
        </code>{" "}
        and {isAny ? "any arguments" : "these arguments"} run without asking
        {option.startsWith("session") ? " in this session, " : ", "}until the grant is revoked or
        the definition of the tool changes.
      </p>
      <p class="muted">
        Definition <code class="code">{safeLine(grant.specHash.slice(0, 16))}…</code>
        {!isAny && grant.argumentsHash !== undefined && (
          <>
            , arguments <code class="code">{safeLine(grant.argumentsHash.slice(0, 16))}…</code>
          </>
        )}
      </p>
    </div>
  );
}

function SignIn({ request }: { request: Extract<InterruptionRequest, { type: "auth" }> }) {
  return (
    <section class="request">
      <h3>
        <Badge tone="accent">sign in</Badge> {safeLine(request.credential)}
      </h3>
      <p class="description">{safeText(request.message)}</p>
      {request.url !== undefined && (
        <p>
          <ExternalLink url={request.url} />
        </p>
      )}
      {request.userCode !== undefined && (
        <p>
          Code: <strong class="user-code">{safeLine(request.userCode)}</strong>
        </p>
      )}
    </section>
  );
}

/** The form of an answer, made from the schema of the question. */
function AnswerForm({ request, draft, onChange, schema }: RequestProps & { schema: JsonSchema }) {
  const latest = useRef({ draft, onChange });
  latest.current = { draft, onChange };
  const form = useMemo(
    () =>
      new Form({
        schema,
        onChange: ({ json }) => {
          const { draft, onChange } = latest.current;
          onChange({ ...draft, value: json ?? "" });
        },
      }),
    [request.id],
  );
  useEffect(() => onChange({ ...draft, value: form.json ?? "" }), [form]);
  return <SchemaForm form={form} label="Answer" />;
}

function ValueField({ request, draft, onChange, label }: RequestProps & { label: string }) {
  const id = `value-${request.id}`;
  return (
    <>
      <label for={id} class="field-label">
        {label}
      </label>
      <textarea
        id={id}
        class="editor"
        rows={4}
        spellcheck={false}
        value={draft.value}
        onInput={({ currentTarget }) => onChange({ ...draft, value: currentTarget.value })}
      />
    </>
  );
}
