import { Icon } from "./icon.tsx";

/** The search of a screen, which `/` leads to. */
export function SearchInput(props: {
  label: string;
  placeholder: string;
  value: string;
  onInput: (text: string) => void;
}) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        data-search
        aria-label={props.label}
        placeholder={props.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={props.value}
        onInput={({ currentTarget }) => props.onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          const row = document.querySelector<HTMLElement>('[data-row][tabindex="0"]');
          if (row === null) return;
          event.preventDefault();
          row.focus();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}
