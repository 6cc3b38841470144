import { CircleAlert, Eye, EyeOff } from "lucide-react";
import {
  createContext,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { shortenId } from "../lib/format.ts";
import { common } from "../texts/common.ts";
import { describeProblem, findMessage, leaveOutChanged, type Problem, sumUpProblem } from "./problem.ts";

/** Runs an action, and keeps what went wrong until the next try. */
export function useProblem() {
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  return {
    problem,
    busy,
    clear: () => setProblem(undefined),
    setProblem,
    /** Returns true when the action succeeded. */
    async attempt(action: () => Promise<unknown>): Promise<boolean> {
      setBusy(true);
      setProblem(undefined);
      try {
        await action();
        return true;
      } catch (error) {
        setProblem(describeProblem(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

interface FormState {
  problem: Problem | undefined;
  /** The paths of the fields on the page. */
  paths: Set<string>;
  /** Called when the person changes a field: its message is about what was there before. */
  onChanged(path: string): void;
}

const noPaths: ReadonlySet<string> = new Set();
const FormContext = createContext<FormState | undefined>(undefined);

interface FormProps {
  children: ReactNode;
  /** Throws what the server refused. The form shows it at its fields. */
  onSubmit(): Promise<unknown>;
  className?: string;
  /** Gets whether the form is being sent. */
  footer?(busy: boolean): ReactNode;
  id?: string;
}

/** A form that shows refusals in place, moves the focus to the first wrong field, and keeps what was entered. */
export function Form({ children, onSubmit, className = "form", footer, id }: FormProps) {
  const { problem, busy, attempt } = useProblem();
  const form = useRef<HTMLFormElement>(null);
  const send = async () => {
    const unreadable = findUnreadable(form.current!);
    unreadable?.focus();
    if (unreadable) throw new Error(common.form.unreadable(unreadable.labels?.[0]?.textContent ?? ""));
    await onSubmit();
  };
  const [paths] = useState(() => new Set<string>());
  const [changed, setChanged] = useState(noPaths);
  const shown = leaveOutChanged(problem, changed);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problem]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (busy) return;
    setChanged(noPaths);
    void attempt(send);
  };
  const onChanged = (path: string) => {
    if (problem && !changed.has(path)) setChanged(new Set([...changed, path]));
  };
  return (
    <form ref={form} id={id} className={className} onSubmit={submit} noValidate>
      <FormContext value={{ problem: shown, paths, onChanged }}>
        {children}
        <FormProblem problem={shown} paths={paths} />
        {footer?.(busy)}
      </FormContext>
    </form>
  );
}

/** A field with a text that is no number or no date. Its value is empty, and would be sent as if nothing was entered. */
const findUnreadable = (form: HTMLFormElement): HTMLInputElement | undefined =>
  [...form.querySelectorAll("input")].find(({ validity }) => validity.badInput);

interface FormProblemProps {
  problem: Problem | undefined;
  /** The fields that show their own message. */
  paths?: ReadonlySet<string>;
}

/** Says what was refused. Messages for what has no field on the page are said here. */
export const FormProblem = ({ problem, paths = noPaths }: FormProblemProps) => (
  <div role="alert">
    {problem && (
      <p className="note bad">
        <CircleAlert className="i s" aria-hidden />
        <span className="grow">
          {sumUpProblem(problem, paths)}
          {problem.requestId && (
            <span className="t3">
              {" "}
              {common.error.request} <code>{shortenId(problem.requestId)}</code>
            </span>
          )}
        </span>
      </p>
    )}
  </div>
);

interface FieldProps {
  label: ReactNode;
  /** The path of the field in the request, such as `schedule.cron`. Finds its message when the server refuses. */
  path?: string;
  hint?: ReactNode;
  /** A message of the page itself. */
  error?: string | undefined;
  children(control: { id: string; "aria-describedby": string; "aria-invalid": boolean }): ReactNode;
}

/** A label, one control, a hint, and the message when it is wrong. */
function Field({ label, path, hint, error, children }: FieldProps) {
  const id = useId();
  const form = useContext(FormContext);
  const paths = form?.paths;
  useEffect(() => {
    if (path === undefined || !paths) return;
    paths.add(path);
    return () => {
      paths.delete(path);
    };
  }, [path, paths]);
  const message =
    error ?? (path === undefined || !form?.problem ? undefined : findMessage(form.problem.fields, path));
  return (
    <div className="field" onInput={path === undefined ? undefined : () => form?.onChanged(path)}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint`, "aria-invalid": message !== undefined })}
      <div id={`${id}-hint`} className="hints">
        {message !== undefined && (
          <p className="hint bad row">
            <CircleAlert className="i s" aria-hidden />
            {message}
          </p>
        )}
        {hint && <p className="hint">{hint}</p>}
      </div>
    </div>
  );
}

type Shared = Omit<FieldProps, "children">;
const cutShared = <P extends Shared>({ label, path, hint, error, ...rest }: P) => ({
  shared: { label, path, hint, error } as Shared,
  rest,
});

type TextFieldProps = Shared &
  Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> & {
    value: string;
    onChange(value: string): void;
    mono?: boolean;
  };

export function TextField(props: TextFieldProps) {
  const { shared, rest } = cutShared(props);
  const { onChange, mono = false, className, ...input } = rest;
  return (
    <Field {...shared}>
      {(control) => (
        <input
          {...input}
          {...control}
          className={`input${control["aria-invalid"] ? " err" : ""}${mono ? " mono" : ""}${className ? ` ${className}` : ""}`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A password or another secret, hidden until the person asks to see it. */
export function SecretField(props: TextFieldProps) {
  const { shared, rest } = cutShared(props);
  const { onChange, mono: _, className: __, ...input } = rest;
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field {...shared}>
      {(control) => (
        <span className={`input${control["aria-invalid"] ? " err" : ""}`}>
          <input
            {...input}
            {...control}
            type={isShown ? "text" : "password"}
            className="bare grow"
            onChange={(event) => onChange(event.target.value)}
          />
          <button
            type="button"
            className="btn q s ic"
            aria-label={isShown ? common.actions.hide : common.actions.show}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon className="i s" aria-hidden />
          </button>
        </span>
      )}
    </Field>
  );
}

type AreaFieldProps = Shared &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "onChange" | "value"> & {
    value: string;
    onChange(value: string): void;
    mono?: boolean;
  };

export function AreaField(props: AreaFieldProps) {
  const { shared, rest } = cutShared(props);
  const { onChange, mono = false, ...area } = rest;
  return (
    <Field {...shared}>
      {(control) => (
        <textarea
          rows={6}
          {...area}
          {...control}
          className={`input area${control["aria-invalid"] ? " err" : ""}${mono ? " mono" : ""}`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type SelectFieldProps = Shared &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange" | "value"> & {
    value: string;
    onChange(value: string): void;
    options: readonly { value: string; label: string }[];
  };

export function SelectField(props: SelectFieldProps) {
  const { shared, rest } = cutShared(props);
  const { onChange, options, ...select } = rest;
  return (
    <Field {...shared}>
      {(control) => (
        <select
          {...select}
          {...control}
          className={`input select${control["aria-invalid"] ? " err" : ""}`}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}

export function CheckField({ label, hint, checked, onChange, disabled }: CheckProps) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        className="check"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="grow">
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  legend: ReactNode;
  value: Value;
  onChange(value: NoInfer<Value>): void;
  options: readonly { value: Value; label: ReactNode; hint?: ReactNode }[];
}

/** A few options with an explanation each. */
export function ChoiceField<Value extends string>({ legend, value, onChange, options }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="choices-field">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} className="check-field">
          <input
            type="radio"
            className="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span className="grow">
            <span className="strong">{option.label}</span>
            {option.hint && <span className="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
