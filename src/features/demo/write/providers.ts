import { randomBytes } from "node:crypto";
import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { sealKey } from "../../llm-providers/index.ts";
import type { Plan, PlannedLimit } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();
const formatOptional = (ms: number | null) => (ms === null ? null : formatDate(ms));

/** Writes providers with random keys, which are valid nowhere. Must run after workers are written. */
export async function writeProviders(
  { keyring }: Pick<Platform, "keyring">,
  tx: Db,
  { providers, prices, limits }: Plan,
  ids: Ids,
): Promise<void> {
  const org = ids.organization;
  const bruno = ids.member("bruno");
  const created = (at: number) => ({ created_by: bruno, created_at: formatDate(at) });
  await insertRows(
    tx,
    org,
    "llm_providers",
    providers.map(({ key, name, baseUrl, models, createdAt }) => ({
      ...{ id: ids.provider(key), kind: "openai_compatible", name, base_url: baseUrl, models },
      ...{ ...created(createdAt), updated_at: formatDate(createdAt) },
    })),
  );
  await insertRows(
    tx,
    org,
    "llm_provider_keys",
    providers.flatMap(({ key: provider, baseUrl, keys }) =>
      keys.map((key, place) => {
        const id = ids.providerKeys.get(provider)![place]!;
        const secret = randomBytes(18).toString("hex") + key.tail;
        const isReplaced = key.retiresInMs !== null;
        return {
          ...{ id, provider_id: ids.provider(provider), name: key.name, tail: key.tail },
          secret: sealKey(keyring, { id, orgId: org, baseUrl }, secret),
          // Uses the real clock: a key is deleted when its time is over.
          retires_at: key.retiresInMs === null ? null : formatDate(Date.now() + key.retiresInMs),
          replaced_by: isReplaced ? ids.providerKeys.get(provider)![place + 1]! : null,
          ...{ disabled_at: formatOptional(key.disabledAt), last_issued_at: formatOptional(key.issuedAt) },
          ...{
            last_verdict: key.verdict,
            last_message: key.message,
            last_tested_at: formatDate(key.testedAt),
          },
          ...created(key.createdAt),
        };
      }),
    ),
  );
  await insertRows(
    tx,
    org,
    "llm_provider_grants",
    providers.flatMap(({ key, grants, createdAt }) =>
      grants.map(({ kind, subject, models }) => ({
        ...{ provider_id: ids.provider(key), subject_kind: kind, models },
        team_id: kind === "team" ? ids.team(subject!) : null,
        worker_id: kind === "worker" ? ids.worker(subject!) : null,
        created_at: formatDate(createdAt + 60_000),
      })),
    ),
  );
  await insertRows(
    tx,
    org,
    "llm_prices",
    prices.map(({ provider, model, validFrom, rates, note, createdAt }) => ({
      ...{ id: newIdAt("lpr", createdAt), provider: ids.provider(provider), model, rates, note },
      ...{ valid_from: formatDate(validFrom), ...created(createdAt), updated_at: formatDate(createdAt) },
    })),
  );
  await writeLimits(tx, limits, ids);
}

async function writeLimits(tx: Db, limits: readonly PlannedLimit[], ids: Ids): Promise<void> {
  const org = ids.organization;
  await insertRows(
    tx,
    org,
    "llm_budgets",
    limits.map(({ kind, subject, period, mode, limitMicros, warningPercent, createdAt }, index) => ({
      ...{ id: ids.limits[index], subject_kind: kind, period, mode, limit_micros: limitMicros },
      team_id: kind === "team" ? ids.team(subject) : null,
      member_id: kind === "member" ? ids.member(subject) : null,
      provider_id: kind === "provider" ? ids.provider(subject) : null,
      ...{ warning_percent: warningPercent, created_by: ids.member("ada") },
      ...{ created_at: formatDate(createdAt), updated_at: formatDate(createdAt) },
    })),
  );
  const month = `${new Date().toISOString().slice(0, 7)}-01`;
  await insertRows(
    tx,
    org,
    "llm_budget_crossings",
    limits.flatMap(({ isWarned, limitMicros }, index) =>
      isWarned
        ? [{ budget_id: ids.limits[index], period_start: month, level: "warned", limit_micros: limitMicros }]
        : [],
    ),
  );
}
