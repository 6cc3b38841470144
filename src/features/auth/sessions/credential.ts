import { definePersonalCredential } from "../../credentials/index.ts";
import { cookieName } from "../cookie.ts";
import { checkSessionRules } from "./rules.ts";
import * as store from "./store.ts";

export const sessionCredential = definePersonalCredential({
  kind: "session",
  carrier: "session",
  cookieName,
  lookup: store.findSessionByToken,
  describe: (row) => ({
    ...(row.signedInAt === null ? {} : { signedInAt: row.signedInAt }),
    ...(row.ssoOrgId === null ? {} : { onlyOrgId: row.ssoOrgId }),
    checkRules: (now) => checkSessionRules(row, now),
  }),
  recordUse: store.recordSessionUseAcrossOrganizations,
  keep: store.keepAcrossOrganizations,
});
