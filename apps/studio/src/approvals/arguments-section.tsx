import type { JsonValue } from "@toolweave/core";
import { useMemo, useState } from "preact/hooks";
import type { FormNode } from "../json/node.ts";
import { isFault, parseJson } from "../json/parse-json.ts";
import { fromValue, jsonText } from "../json/write-json.ts";
import { ChangeList } from "../results/change-list.tsx";
import { formatCount } from "../text/format.ts";
import { safeProse } from "../text/safe-text.ts";
import { JsonView } from "../ui/json-view.tsx";
import { argumentChanges } from "./argument-changes.ts";

/** The arguments of a call that waits; a person may approve others, and sees what is different. */
export function ArgumentsSection(props: {
  value: JsonValue;
  canEdit: boolean;
  /** `undefined`: nothing is edited. */
  onEdit: (value: FormNode | undefined) => void;
  onSyntaxProblem: (hasProblem: boolean) => void;
}) {
  const { value } = props;
  const [text, setText] = useState<string>();
  const asked = useMemo(() => fromValue(value), [value]);
  const read = text === undefined ? undefined : readObject(text);
  const changes = read?.value === undefined ? [] : argumentChanges(asked, read.value);
  const change = (next: string | undefined): void => {
    setText(next);
    const parsed = next === undefined ? undefined : readObject(next);
    const isSame = parsed?.value === undefined || argumentChanges(asked, parsed.value).length === 0;
    props.onEdit(isSame ? undefined : parsed.value);
    props.onSyntaxProblem(parsed?.problem !== undefined);
  };
  return (
    <section class="approval-arguments">
      <div class="section-heading">
        <h3>Arguments</h3>
        {props.canEdit && (
          <button
            type="button"
            class="button small"
            onClick={() => change(text === undefined ? jsonText(asked) : undefined)}
          >
            {text === undefined ? "Edit" : "Discard the edits"}
          </button>
        )}
      </div>
      {text === undefined ? (
        <JsonView value={value} label="Arguments" />
      ) : (
        <>
          <textarea
            class="editor"
            aria-label="Edited arguments"
            rows={Math.min(20, text.split("\n").length + 1)}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          {read?.problem !== undefined && <p class="problem-text">{safeProse(read.problem)}</p>}
          {changes.length > 0 && (
            <>
              <h4>{formatCount(changes.length, "difference")} to what was asked</h4>
              <ChangeList changes={changes} />
            </>
          )}
        </>
      )}
    </section>
  );
}

type ReadObject =
  | { readonly value: FormNode; readonly problem?: undefined }
  | { readonly problem: string; readonly value?: undefined };

function readObject(text: string): ReadObject {
  const read = parseJson(text);
  if (isFault(read)) {
    const line = text.slice(0, read.offset).split("\n").length;
    return { problem: `Line ${line}: ${read.message}` };
  }
  return read.kind === "object" ? { value: read } : { problem: "The arguments must be an object." };
}
