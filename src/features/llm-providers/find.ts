import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Subject } from "./grants/index.ts";
import * as store from "./store.ts";

/** `reach` is who must have been granted the provider. Null: nobody in particular. */
export async function requireProvider(
  db: Db,
  orgId: OrgId,
  reach: Subject | null,
  id: string,
): Promise<store.ProviderRow> {
  const provider = isId("llp", id) ? await store.find(db, orgId, reach, id) : undefined;
  if (!provider) throw notFound("llm_provider");
  return provider;
}
