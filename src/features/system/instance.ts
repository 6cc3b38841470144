import { defineState } from "../../platform/state.ts";
import * as store from "./store.ts";

/** What a sign-in page needs to know about the instance. */
export const instanceFacts = defineState({
  name: "facts of the instance",
  create({ config, db }) {
    let reading: ReturnType<typeof store.readInstanceAcrossOrganizations> | undefined;
    return {
      async read() {
        // Everybody can ask, so those who ask at the same time share one statement.
        reading ??= store.readInstanceAcrossOrganizations(db).finally(() => {
          reading = undefined;
        });
        const { isEmpty, isDemo, hasSso } = await reading;
        return {
          ...{ isEmpty, isDemo, bootstrap: config.bootstrap },
          signUp: isEmpty ? ("open" as const) : config.signup,
          signInMethods: { password: true, passkey: true, sso: hasSso },
        };
      },
    };
  },
});
