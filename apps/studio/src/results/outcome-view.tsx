import type { OutcomeView as Outcome } from "@toolweave/console";
import type { JsonValue } from "@toolweave/core";
import { useMemo } from "preact/hooks";
import type { ExactJson } from "../json/node.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine, safeProse, safeText } from "../text/safe-text.ts";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ContentBlock, parseContent } from "./content-block.tsx";

/** The members of an outcome that are displayed: an answer of an approval has no others. */
interface DisplayedOutcome {
  readonly error?: Outcome["error"];
  readonly result?: Pick<
    NonNullable<Outcome["result"]>,
    "content" | "value" | "artifacts" | "taskId"
  > & { readonly details?: JsonValue };
}

/** The outcome of a call: error, structured value, content and artifacts. */
export function OutcomeView({ outcome }: { outcome: DisplayedOutcome }) {
  const { result, error } = outcome;
  const artifacts = result?.artifacts ?? [];
  const content = result?.content ?? [];
  const sameContent = useMemo(() => readSameContent(result), [result]);
  return (
    <div class="outcome">
      {error !== undefined && (
        <p class="notice bad">
          <strong>{safeLine(error.code)}</strong> {safeText(error.message)}
          {error.retryable && " The call may succeed if it is made again."}
        </p>
      )}
      {result?.taskId !== undefined && (
        <p class="notice">
          The call continues as a task.{" "}
          <Link href={toPath("tasks", result.taskId)}>Open the task</Link>
        </p>
      )}
      {readWarnings(result?.details).map((warning) => (
        <p key={warning} class="notice warning">
          {safeProse(warning)}
        </p>
      ))}
      {result?.value !== undefined && (
        <section>
          <h3>Value</h3>
          <JsonView value={sameContent ?? result.value} label="Value of the result" />
          {sameContent !== undefined && (
            <p class="muted">The content for the model is the same JSON.</p>
          )}
        </section>
      )}
      {content.length > 0 && sameContent === undefined && (
        <section>
          <h3>Content for the model</h3>
          {content.map((block, index) => (
            <ContentBlock key={index} block={block} />
          ))}
        </section>
      )}
      {artifacts.length > 0 && (
        <section>
          <h3>Artifacts</h3>
          <ul class="artifacts">
            {artifacts.map(({ key, name, size, mediaType }) => (
              <li key={key}>
                <Icon name="file" />
                <Link href={toPath("artifact", key)}>{safeLine(name ?? key)}</Link>
                <span class="muted">
                  {safeLine(mediaType)} {formatBytes(size)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {result !== undefined && content.length === 0 && result.value === undefined && (
        <p class="muted">The result is empty.</p>
      )}
    </div>
  );
}

/**
 * The content of a result if it is nothing but the JSON of its structured value: it has all digits of integers, which
 * are rounded in the value. `undefined`: it is something else.
 */
function readSameContent(result: DisplayedOutcome["result"]): ExactJson | undefined {
  const [only, ...others] = result?.content ?? [];
  if (result?.value === undefined || only?.type !== "text" || others.length > 0) return undefined;
  const read = parseContent(only.text);
  return JSON.stringify(read) === JSON.stringify(result.value) ? read : undefined;
}

/** The warnings of the source of the tool, which are for people. */
function readWarnings(details: JsonValue | undefined): readonly string[] {
  if (typeof details !== "object" || details === null || !("warnings" in details)) return [];
  const { warnings } = details;
  if (!Array.isArray(warnings)) return [];
  return warnings.filter((warning) => typeof warning === "string");
}
