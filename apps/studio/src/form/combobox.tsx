import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { safeLine } from "../text/safe-text.ts";
import type { FieldOption } from "./model/schema-kinds.ts";

interface ComboboxProps {
  readonly id: string;
  readonly labelledBy: string;
  readonly options: readonly FieldOption[];
  readonly selected: number | undefined;
  /** The text as typed, or the label of the selected option. */
  readonly text: string;
  readonly onSelect: (index: number) => void;
  /** Called with text that is no option. */
  readonly onText: (text: string) => void;
  readonly "aria-invalid": boolean;
  readonly "aria-required": boolean;
  readonly "aria-describedby": string | undefined;
}

const maxListed = 100;

/**
 * A text field with a list of options, filtered by what is typed.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ (editable, with list autocomplete)
 */
export function Combobox({
  id,
  labelledBy,
  options,
  selected,
  text,
  onSelect,
  onText,
  ...aria
}: ComboboxProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  // Before anything is typed, a selected option does not filter the others.
  const filter = selected === undefined ? text.toLowerCase() : "";
  const matching = options
    .map((option, index) => ({ ...option, index }))
    .filter(({ label }) => label.toLowerCase().includes(filter));
  const visible = matching.slice(0, maxListed);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const close = (): void => {
    setOpen(false);
    setActive(-1);
  };
  const pick = (at: number): void => {
    const option = visible[at];
    if (option !== undefined) onSelect(option.index);
    close();
  };
  const move = (by: number): void => {
    setOpen(true);
    if (visible.length > 0) setActive((active + by + visible.length) % visible.length);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(active === -1 ? 0 : -1);
    else if (event.key === "Enter" && isOpen && active !== -1) pick(active);
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="form-combobox">
      <input
        {...aria}
        id={id}
        class="form-input"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active === -1 ? undefined : `${id}-option${active}`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        placeholder={`Search ${options.length} values`}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          const exact = options.findIndex(({ label }) => label === typed);
          if (exact === -1) onText(typed);
          else onSelect(exact);
          setOpen(true);
          setActive(-1);
        }}
      />
      <ul
        class="form-list"
        id={`${id}-list`}
        role="listbox"
        aria-labelledby={labelledBy}
        ref={list}
        hidden={!isOpen || visible.length === 0}
      >
        {isOpen
          ? visible.map((option, at) => (
              <li
                key={option.index}
                id={`${id}-option${at}`}
                role="option"
                aria-selected={option.index === selected}
                class={at === active ? "is-active" : undefined}
                // The text field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(at)}
              >
                {safeLine(option.label)}
              </li>
            ))
          : null}
      </ul>
      {isOpen && matching.length > maxListed ? (
        <p class="form-note">{matching.length - maxListed} more: type to filter them.</p>
      ) : null}
    </div>
  );
}
