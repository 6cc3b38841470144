import { useDeferredValue, useMemo } from "react";
import { automations } from "../../../texts/automations.ts";
import { SelectField, TextField } from "../../../ui/form.tsx";
import { describeCron } from "./cron-words.ts";
import { Occurrences } from "./occurrences.tsx";
import { hourSteps, minuteSteps, type ScheduleForm, scheduleKinds, toSchedule } from "./schedule.ts";

const texts = automations.schedule;

interface ScheduleBuilderProps {
  value: ScheduleForm;
  onChange(value: ScheduleForm): void;
}

/** Makes a schedule without cron, with cron for those who want it, and shows when it runs. */
export function ScheduleBuilder({ value, onChange }: ScheduleBuilderProps) {
  const change = (changes: Partial<ScheduleForm>) => onChange({ ...value, ...changes });
  const shown = useDeferredValue(value);
  const schedule = useMemo(() => toSchedule(shown), [shown]);
  return (
    <div className="schedule-builder">
      <SelectField
        label={texts.kind}
        value={value.kind}
        onChange={(kind) => change({ kind: kind as ScheduleForm["kind"] })}
        options={scheduleKinds.map((kind) => ({ value: kind, label: texts.kinds[kind] }))}
      />
      <KindFields value={value} change={change} />
      {value.kind !== "manual" && (
        <SelectField
          label={texts.zone}
          path="schedule.timezone"
          value={value.timezone}
          onChange={(timezone) => change({ timezone })}
          options={listZones(value.timezone).map((zone) => ({ value: zone, label: zone }))}
        />
      )}
      <section className="schedule-preview" aria-label={texts.preview} aria-live="polite">
        <h3 className="strong">{texts.preview}</h3>
        <Occurrences schedule={schedule} />
      </section>
    </div>
  );
}

interface KindFieldsProps {
  value: ScheduleForm;
  change(changes: Partial<ScheduleForm>): void;
}

function KindFields({ value, change }: KindFieldsProps) {
  const time = (
    <TextField
      label={texts.time}
      path="schedule.hour"
      type="time"
      value={value.time}
      onChange={(next) => change({ time: next })}
    />
  );
  switch (value.kind) {
    case "manual":
      return null;
    case "minutes":
      return (
        <NumberSelect
          label={texts.everyMinutes}
          value={value.every}
          steps={minuteSteps}
          onChange={(every) => change({ every })}
        />
      );
    case "hours":
      return (
        <>
          <NumberSelect
            label={texts.everyHours}
            value={value.every}
            steps={hourSteps}
            onChange={(every) => change({ every })}
          />
          <NumberSelect
            label={texts.atMinute}
            value={value.minute}
            steps={[0, 5, 10, 15, 20, 30, 40, 45, 50, 55]}
            onChange={(minute) => change({ minute })}
          />
        </>
      );
    case "daily":
    case "weekdays":
      return time;
    case "weekly":
      return (
        <>
          <DayChoice days={value.days} onChange={(days) => change({ days })} />
          {time}
        </>
      );
    case "monthly":
      return (
        <>
          <SelectField
            label={texts.dayOfMonth}
            hint={value.dayOfMonth > 28 ? texts.dayOfMonthHint : undefined}
            value={String(value.dayOfMonth)}
            onChange={(day) => change({ dayOfMonth: Number(day) })}
            options={Array.from({ length: 31 }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }))}
          />
          {time}
        </>
      );
    case "once":
      return (
        <TextField
          label={texts.date}
          path="schedule.at"
          type="datetime-local"
          value={value.date}
          onChange={(date) => change({ date })}
        />
      );
    case "cron":
      return (
        <TextField
          label={texts.expression}
          path="schedule.expression"
          hint={describeCron(value.expression) ?? texts.expressionHint}
          mono
          value={value.expression}
          onChange={(expression) => change({ expression })}
        />
      );
  }
}

interface NumberSelectProps {
  label: string;
  value: number;
  steps: readonly number[];
  onChange(value: number): void;
}

/** A number that a schedule already has is offered too. */
const NumberSelect = ({ label, value, steps, onChange }: NumberSelectProps) => (
  <SelectField
    label={label}
    value={String(value)}
    onChange={(next) => onChange(Number(next))}
    options={[...new Set([...steps, value])]
      .toSorted((a, b) => a - b)
      .map((step) => ({ value: String(step), label: String(step) }))}
  />
);

function DayChoice({ days, onChange }: { days: readonly number[]; onChange(days: number[]): void }) {
  // The week begins on Monday.
  const order = [1, 2, 3, 4, 5, 6, 0];
  const toggle = (day: number) => {
    const next = days.includes(day) ? days.filter((one) => one !== day) : [...days, day];
    // A schedule needs a day.
    if (next.length > 0) onChange(next);
  };
  return (
    <fieldset className="choices-field">
      <legend>{texts.days}</legend>
      <div className="row wrap">
        {order.map((day) => (
          <button
            key={day}
            type="button"
            className="btn s day"
            aria-pressed={days.includes(day)}
            title={texts.dayNames[day]}
            onClick={() => toggle(day)}
          >
            {texts.shortDays[day]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

/** All zones of the browser, and the chosen one, which it may not list. */
const listZones = (chosen: string): string[] => {
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return zones.includes(chosen) ? zones : [chosen, ...zones];
};
