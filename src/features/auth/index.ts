import type { Db } from "../../platform/db/index.ts";
import { sessionDays } from "./library.ts";
import * as store from "./store.ts";

export { User } from "./contract.ts";
export { cookieName } from "./cookie.ts";
export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";
export { resolveSession, signUp } from "./service.ts";
export { hasUsers, setActiveOrganization } from "./store.ts";

export const touchSessions = (db: Db, ids: string[]) => store.touchSessions(db, ids, sessionDays);
