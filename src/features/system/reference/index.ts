import type { FieldGuide } from "../../../platform/http/index.ts";
import { automationFields } from "./automation-fields.ts";
import { bodies } from "./bodies.ts";
import { connectionFields } from "./connection-fields.ts";
import { fields } from "./fields.ts";
import { notificationFields } from "./notification-fields.ts";
import { resourceFields } from "./resource-fields.ts";

/** What the fields of the API mean, where their contracts do not say it, and an example of each. */
export const fieldGuide: FieldGuide = {
  ...fields,
  ...automationFields,
  ...connectionFields,
  ...resourceFields,
  ...notificationFields,
  ...bodies,
};
