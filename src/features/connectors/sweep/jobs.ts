import { job } from "../../../platform/jobs/index.ts";
import { sweep } from "./service.ts";

/** Every minute those whose turn it is: hooks get lost, and some repositories have none. */
export const heal = job({ name: "connectors.sweep", schedule: "* * * * *", retries: 0, handle: sweep });
