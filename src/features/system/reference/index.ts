import type { FieldGuide } from "../../../platform/http/index.ts";
import { automationFields } from "./automation-fields.ts";
import { bodies } from "./bodies.ts";
import { connectionFields } from "./connection-fields.ts";
import { fields } from "./fields.ts";
import { notificationFields } from "./notification-fields.ts";
import { resourceFields } from "./resource-fields.ts";

/** Descriptions of API fields that their contracts do not describe, with an example of each. */
export const fieldGuide: FieldGuide = {
  ...fields,
  ...automationFields,
  ...connectionFields,
  ...resourceFields,
  ...notificationFields,
  ...bodies,
};
