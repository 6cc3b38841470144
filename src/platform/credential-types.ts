import type { CredentialType } from "./http/index.ts";
import { defineState } from "./state.ts";

/** The kinds of credentials that the rooms of this process declare. Undefined until the rooms are served. */
export const credentialTypes = defineState<{ declared: readonly CredentialType[] | undefined }>({
  name: "credential types",
  create: () => ({ declared: undefined }),
});
