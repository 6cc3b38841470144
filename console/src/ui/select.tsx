interface SelectProps {
  /** What is chosen. Read out, because no label is visible. */
  label: string;
  value: string;
  onChange(value: string): void;
  options: readonly { value: string; label: string }[];
}

/** A choice in a row of filters. */
export const Select = ({ label, value, onChange, options }: SelectProps) => (
  <select
    className="input s select filter-select"
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  >
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.label}
      </option>
    ))}
  </select>
);
