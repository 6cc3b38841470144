import type { FieldGuide } from "../../../platform/http/index.ts";
import { bodies } from "./bodies.ts";
import { connectionFields } from "./connection-fields.ts";
import { fields } from "./fields.ts";
import { resourceFields } from "./resource-fields.ts";

/** Descriptions of fields that several rooms have. A field of one room is described in its contract or `fields.ts`. */
export const fieldGuide: FieldGuide = {
  ...fields,
  ...connectionFields,
  ...resourceFields,
  ...bodies,
};
