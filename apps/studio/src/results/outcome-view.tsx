import type { OutcomeView as Outcome } from "../contract/contract.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ContentBlock } from "./content-block.tsx";

/** The outcome of a call: error, structured value, content and artifacts. */
export function OutcomeView({ outcome }: { outcome: Outcome }) {
  const { result, error } = outcome;
  const artifacts = result?.artifacts ?? [];
  const content = result?.content ?? [];
  return (
    <div class="outcome">
      {error !== undefined && (
        <p class="notice bad">
          <strong>{safeLine(error.code)}</strong> {safeProse(error.message)}
          {error.retryable === true && " The call may succeed if it is made again."}
        </p>
      )}
      {result?.taskId !== undefined && (
        <p class="notice">
          The call continues as a task.{" "}
          <Link href={toPath("tasks", result.taskId)}>Open the task</Link>
        </p>
      )}
      {result?.value !== undefined && (
        <section>
          <h3>Value</h3>
          <JsonView value={result.value} label="Value of the result" />
        </section>
      )}
      {content.length > 0 && (
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
                  {mediaType === undefined ? "" : safeLine(mediaType)}{" "}
                  {size === undefined ? "" : formatBytes(size)}
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
