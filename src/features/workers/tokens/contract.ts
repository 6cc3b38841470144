import { z } from "zod";
import { idSchema } from "../../../platform/ids.ts";

export const WorkerToken = z
  .strictObject({
    id: idSchema("wkt"),
    start: z.string().describe("The first letters of the token, to tell tokens apart."),
    expiresAt: z.int().nullable().describe("Null: valid until it is rotated."),
    createdAt: z.int(),
  })
  .meta({ id: "WorkerToken" });
export type WorkerToken = z.output<typeof WorkerToken>;
