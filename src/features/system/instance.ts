import { defineState } from "../../platform/state.ts";
import * as store from "./store.ts";

/** Everybody can ask, so the answer is kept for a short time. */
const validMs = 3_000;

/** What a sign-in page needs to know about the instance. */
export const instanceFacts = defineState({
  name: "facts of the instance",
  create({ config, db }) {
    let known: { readAt: number; row: ReturnType<typeof store.readInstanceAcrossOrganizations> } | undefined;
    return {
      async read() {
        const now = performance.now();
        if (!known || now - known.readAt > validMs) {
          const row = store.readInstanceAcrossOrganizations(db);
          known = { readAt: now, row };
          row.catch(() => {
            known = undefined;
          });
        }
        const { isEmpty, isDemo, hasSso } = await known.row;
        return {
          ...{ isEmpty, isDemo, bootstrap: config.bootstrap },
          signUp: isEmpty ? ("open" as const) : config.signup,
          signInMethods: { password: true, passkey: true, sso: hasSso },
        };
      },
    };
  },
});
