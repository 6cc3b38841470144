import { definePersonalCredential } from "../credentials/index.ts";
import { keyPrefix } from "./service.ts";
import * as store from "./store.ts";

export const keyCredential = definePersonalCredential({
  kind: "key",
  carrier: "x-api-key",
  prefix: keyPrefix,
  lookup: store.findKeyByToken,
  recordUse: store.recordKeyUseAcrossOrganizations,
  ending: { end: store.removeKeysAcrossOrganizations, countedAs: "apiKeys" },
});
