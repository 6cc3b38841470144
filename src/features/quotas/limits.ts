import type { Platform } from "../../platform/context.ts";
import { conflict, OperatorError } from "../../platform/errors.ts";
import { type InstanceLimit, instanceLimits, type QuotaName, quotaNames, quotas } from "./catalogue.ts";
import type { LimitSettings } from "./store.ts";

type Config = Pick<Platform["config"], "quotas">;

/** The limit of an organization. Undefined when there is no limit. */
export function findLimit(
  config: Config,
  name: QuotaName,
  { provisional, override }: LimitSettings,
): number | undefined {
  if (override !== null) return override;
  const { limit, provisional: provisionalLimit } = quotas[name];
  const configured = config.quotas.get(provisional ? `provisional.${name}` : name);
  return configured ?? (provisional ? provisionalLimit : limit) ?? undefined;
}

export const instanceLimit = (config: Config, name: InstanceLimit): number =>
  config.quotas.get(name) ?? instanceLimits[name];

/** Refuses to start when QUOTAS has an unknown name, so that a typing error is not ignored. */
export function checkQuotaNames(config: Config): void {
  const known = new Set<string>([
    ...quotaNames,
    ...quotaNames.map((name) => `provisional.${name}`),
    ...Object.keys(instanceLimits),
  ]);
  for (const name of config.quotas.keys())
    if (!known.has(name))
      throw new OperatorError(
        `QUOTAS has the unknown name ${name}. The quotas are: ${quotaNames.join(", ")}.`,
      );
}

export const quotaExceeded = (name: QuotaName, limit: number, used: number) =>
  conflict(
    "quota_exceeded",
    `This would exceed the quota ${name}: the limit is ${limit}, and ${used} are in use. Delete something, or ask the operator of this instance for a higher limit.`,
    { quota: name, limit, used },
  );
