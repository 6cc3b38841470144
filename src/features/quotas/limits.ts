import type { Platform } from "../../platform/context.ts";
import { conflict, OperatorError } from "../../platform/errors.ts";
import { type InstanceLimit, instanceLimits, type QuotaName, quotaNames, quotas } from "./catalogue.ts";
import type { Terms } from "./store.ts";

type Config = Pick<Platform["config"], "quotas">;

/** What holds for an organization; undefined: no limit. */
export function limitOf(
  config: Config,
  name: QuotaName,
  { provisional, override }: Terms,
): number | undefined {
  if (override !== null) return override;
  const { limit, provisional: own } = quotas[name];
  const given = config.quotas.get(provisional ? `provisional.${name}` : name);
  return given ?? (provisional ? own : limit) ?? undefined;
}

export const instanceLimit = (config: Config, name: InstanceLimit): number =>
  config.quotas.get(name) ?? instanceLimits[name];

/** Stops a start with a name in QUOTAS that is none, rather than ignore what an operator wanted. */
export function checkQuotaNames(config: Config): void {
  const known = new Set<string>([
    ...quotaNames,
    ...quotaNames.map((name) => `provisional.${name}`),
    ...Object.keys(instanceLimits),
  ]);
  for (const name of config.quotas.keys())
    if (!known.has(name))
      throw new OperatorError(
        `QUOTAS names ${name}, which is no quota. The quotas are: ${quotaNames.join(", ")}.`,
      );
}

/** The one refusal of this room. */
export const quotaExceeded = (name: QuotaName, limit: number, used: number) =>
  conflict(
    "quota_exceeded",
    `${quotas[name].description} The limit here is ${limit}, and ${used} are in use. Remove some, or ask the operator of this instance for more.`,
    { quota: name, limit, used },
  );
