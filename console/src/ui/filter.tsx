interface FilterSelectProps {
  label: string;
  value: string;
  onChange(value: string): void;
  options: readonly { value: string; label: string }[];
}

/** A filter with one of several values. The first option is usually "all". */
export const FilterSelect = ({ label, value, onChange, options }: FilterSelectProps) => (
  <select
    className="input s select filter"
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
