import type { MemberChangeText } from "@toolweave/console";
import { parseExactJson } from "../json/parse-json.ts";
import { fromValue, jsonText } from "../json/write-json.ts";
import { safeLine, safeProse, safeText } from "../text/safe-text.ts";

/** Differences between two definitions, member by member, side by side. */
export function ChangeList({ changes }: { changes: readonly MemberChangeText[] }) {
  return (
    <ul class="changes">
      {hashesLast(changes).map((change, index) => (
        <li key={index} class="change">
          <p>
            <code class="code">{safeLine(change.path)}</code> {describe(change)}
          </p>
          {(change.before !== undefined || change.after !== undefined) && (
            <div class="sides">
              {change.beforeUnknown !== true && (
                <Side title="Before" value={change.before} tone="removed" />
              )}
              <Side title="Now" value={change.after} tone="added" />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The kind of a change; the values themselves are displayed below. */
function describe({ before, after, text, beforeUnknown }: MemberChangeText): string {
  if (beforeUnknown === true && after !== undefined) {
    return "has changed; the lock file has only the digest of what it was";
  }
  if (before === undefined && after === undefined) return safeProse(text);
  if (before === undefined) return "was added";
  return after === undefined ? "was removed" : "has changed";
}

/** A hash says only that something is different: what is different comes first. */
function hashesLast(changes: readonly MemberChangeText[]): readonly MemberChangeText[] {
  const isHash = ({ path }: MemberChangeText): boolean => path.endsWith("Hash");
  return [...changes.filter((change) => !isHash(change)), ...changes.filter(isHash)];
}

/** JSON over several lines; a text in quotes, with its line breaks. */
function toReadable(json: string): string {
  const value = parseExactJson(json);
  if (typeof value === "string") return `"${value}"`;
  return value === undefined ? json : jsonText(fromValue(value));
}

function Side(props: { title: string; value: string | undefined; tone: "removed" | "added" }) {
  const { value } = props;
  return (
    <div class={`side ${props.tone}`}>
      <h4>{props.title}</h4>
      {value === undefined ? (
        <p class="muted">absent</p>
      ) : (
        <pre tabIndex={0}>{safeText(toReadable(value))}</pre>
      )}
    </div>
  );
}
