import { createBatcher } from "../../platform/batcher.ts";
import { defineState } from "../../platform/state.ts";
import * as store from "./store.ts";

/** What a sign-in page needs to know about the instance. */
export const instanceFacts = defineState({
  name: "facts of the instance",
  create({ config, db }) {
    // Anyone can call this without signing in, so concurrent requests share a statement. It starts after each of them
    // arrived, so that a request sees every change that was committed before it.
    const read = createBatcher<null, store.Instance>({
      async send(requests) {
        const instance = await store.readInstanceAcrossOrganizations(db);
        return requests.map(() => instance);
      },
      owner: () => null,
      size: () => 1,
      maxItems: 1_000,
      maxSize: 1_000,
      sharesThread: db.kind === "pglite",
    });
    return {
      async read() {
        const { isEmpty, isDemo, hasSso } = await read(null);
        return {
          ...{ isEmpty, isDemo, bootstrap: config.bootstrap },
          signUp: isEmpty ? ("open" as const) : config.signup,
          signInMethods: { password: true, passkey: true, sso: hasSso },
        };
      },
    };
  },
});
