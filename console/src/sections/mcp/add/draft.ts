import { useState } from "react";
import type { KeptDiscovery } from "../../discover/types.ts";
import type { Header } from "../header-fields.tsx";
import type { Registration, Result } from "../types.ts";

/** What the server wants decided, when it refused to save without. */
export interface Choices {
  recommended: Registration | null;
  registrations: { registration: Registration; available: boolean; missing: string[]; note: string }[];
  authorizationServers: string[];
  scopes: string[];
  verdict: Result;
}

export interface Draft {
  url: string;
  name: string;
  registration: Registration | undefined;
  authorizationServer: string | undefined;
  credential: "shared" | "per_member";
  clientId: string;
  clientSecret: string;
  bearerToken: string;
  headers: readonly Header[];
  scopes: string;
  isForEverybody: boolean;
  discovery: KeptDiscovery | undefined;
  choices: Choices | undefined;
}

const empty: Draft = {
  url: "",
  name: "",
  registration: undefined,
  authorizationServer: undefined,
  credential: "per_member",
  clientId: "",
  clientSecret: "",
  bearerToken: "",
  headers: [],
  scopes: "",
  isForEverybody: false,
  discovery: undefined,
  choices: undefined,
};

/** What was entered about a new server. The page keeps it, so closing the panel loses nothing. Secrets stay in memory. */
export function useDraft() {
  const [value, setValue] = useState(empty);
  return {
    value,
    set: (part: Partial<Draft>) => setValue((now) => ({ ...now, ...part })),
    /** Begins anew with some values. */
    start: (part: Partial<Draft>) => setValue({ ...empty, ...part }),
    clear: () => setValue(empty),
  };
}
export type DraftState = ReturnType<typeof useDraft>;
