/** A checkbox with its label. */
export function Checkbox(props: {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}
