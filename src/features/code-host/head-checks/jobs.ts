import { job } from "../../../platform/jobs/index.ts";
import { compareHeadsOfStaleConnectors } from "./service.ts";

/** Webhooks get lost, and some repositories have none, so heads are also compared without them. */
export const compareHeads = job({
  name: "connectors.sweep",
  everySeconds: 60,
  retries: 0,
  handle: compareHeadsOfStaleConnectors,
});
