import { job } from "../../../platform/jobs/index.ts";
import { measureDatabase } from "./service.ts";

/** Runs every hour, so that a service that is not running at midnight still measures each day. */
export const measure = job({
  name: "admin.measure-database",
  schedule: "7 * * * *",
  handle: measureDatabase,
});
