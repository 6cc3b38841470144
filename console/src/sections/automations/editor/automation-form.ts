import type { Automation } from "@signalbox/client";
import { readerTimeZone } from "../../../lib/format.ts";
import { automations } from "../../../texts/automations.ts";
import { createScheduleForm, type ScheduleForm, toSchedule, toScheduleForm } from "../schedule/schedule.ts";

const texts = automations.edit;

/** What the editor holds. Texts of fields stay texts until they are sent. */
export interface AutomationForm {
  name: string;
  instructions: string;
  schedule: ScheduleForm;
  maxMinutes: string;
  providerId: string;
  modelId: string;
  templateIds: string[];
  connectionIds: string[];
  /** Only for a new automation. */
  active: boolean;
  /** Only for an existing one. */
  memberId: string;
}

export const createForm = (): AutomationForm => ({
  name: "",
  instructions: "",
  schedule: createScheduleForm(readerTimeZone()),
  maxMinutes: "60",
  providerId: "",
  modelId: "",
  templateIds: [],
  connectionIds: [],
  active: true,
  memberId: "",
});

export const toForm = (automation: Automation): AutomationForm => ({
  name: automation.name,
  instructions: automation.instructions,
  schedule: toScheduleForm(automation.schedule, readerTimeZone()),
  maxMinutes: String(Math.max(1, Math.round(automation.maxRuntimeSeconds / 60))),
  providerId: automation.model?.providerId ?? "",
  modelId: automation.model?.modelId ?? "",
  templateIds: automation.templateIds,
  connectionIds: automation.connectionIds,
  active: automation.status === "active",
  memberId: automation.memberId ?? "",
});

/** What the page can tell before it asks the server, by field. */
export function checkForm(form: AutomationForm): Partial<Record<keyof AutomationForm, string>> {
  const minutes = Number(form.maxMinutes);
  return {
    ...(form.name.trim() === "" ? { name: texts.required } : {}),
    ...(form.instructions.trim() === "" ? { instructions: texts.requiredInstructions } : {}),
    ...(form.providerId !== "" && form.modelId.trim() === "" ? { modelId: texts.requiredModel } : {}),
    ...(Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440 ? {} : { maxMinutes: texts.badMinutes }),
  };
}

/** The part of a request that new and changed automations share. */
export const toBody = (form: AutomationForm) => ({
  name: form.name.trim(),
  instructions: form.instructions,
  schedule: toSchedule(form.schedule),
  model: form.providerId === "" ? null : { providerId: form.providerId, modelId: form.modelId.trim() },
  maxRuntimeSeconds: Number(form.maxMinutes) * 60,
  templateIds: form.templateIds,
  connectionIds: form.connectionIds,
});

/** The fields that somebody changed. The others stay as they are: the page shows some of them less exactly. */
export function toChanges(
  form: AutomationForm,
  original: AutomationForm,
): Partial<ReturnType<typeof toBody>> {
  const before: Record<string, unknown> = toBody(original);
  return Object.fromEntries(
    Object.entries(toBody(form)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  ) as Partial<ReturnType<typeof toBody>>;
}

export const isSame = (a: AutomationForm, b: AutomationForm): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
