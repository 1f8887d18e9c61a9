import type { ArgumentProblem } from "../contract/contract.ts";
import { safeProse } from "../text/safe-text.ts";

/** The arguments of a call as JSON text. What a person types is never changed. */
export function ArgumentsEditor(props: {
  text: string;
  onChange: (text: string) => void;
  /** The text is no JSON object. */
  syntaxProblem?: string;
  problems: readonly ArgumentProblem[];
}) {
  const { text, syntaxProblem, problems } = props;
  const hasProblems = syntaxProblem !== undefined || problems.length > 0;
  const rows = Math.max(6, Math.min(24, text.split("\n").length + 1));
  return (
    <div class="arguments">
      <label for="arguments" class="field-label">
        Arguments
      </label>
      <textarea
        id="arguments"
        class="editor"
        rows={rows}
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-invalid={hasProblems}
        aria-describedby="arguments-problems"
        onInput={({ currentTarget }) => props.onChange(currentTarget.value)}
      />
      <ul id="arguments-problems" class="problems">
        {syntaxProblem !== undefined && <li>{safeProse(syntaxProblem)}</li>}
        {syntaxProblem === undefined &&
          problems.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              {pointer !== "" && <code class="code">{safeProse(pointer)}</code>}{" "}
              {safeProse(message)}
            </li>
          ))}
      </ul>
    </div>
  );
}
