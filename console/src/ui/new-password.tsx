import { measurePassword } from "../lib/password-strength.ts";
import { entry } from "../texts/entry.ts";
import { SecretField } from "./form.tsx";

interface NewPasswordProps {
  label: string;
  value: string;
  onChange(value: string): void;
  path?: string;
}

/** A field for a password that is chosen now, with a measure of its strength. */
export function NewPasswordField({ label, value, onChange, path = "password" }: NewPasswordProps) {
  const strength = measurePassword(value);
  return (
    <SecretField
      label={label}
      value={value}
      onChange={onChange}
      autoComplete="new-password"
      path={path}
      hint={
        <>
          <span className="meter4" aria-hidden>
            {[1, 2, 3, 4].map((level) => (
              <i key={level} className={strength >= level ? "on" : ""} />
            ))}
          </span>
          <span role="status">{entry.strength[strength]}</span>
        </>
      }
    />
  );
}
