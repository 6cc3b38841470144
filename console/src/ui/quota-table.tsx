import type { Quota } from "@signalbox/client";
import { formatBytes, formatNumber, formatPercent } from "../lib/format.ts";
import { common } from "../texts/common.ts";
import { settings } from "../texts/settings.ts";
import { Empty } from "./feedback.tsx";
import { Tag } from "./state.tsx";
import { DataTable } from "./table.tsx";

const texts = settings.quotas;

const acronyms: Record<string, string> = {
  api: "API",
  llm: "LLM",
  mcp: "MCP",
  oauth: "OAuth",
  scim: "SCIM",
  sso: "SSO",
};

/** `scim_users` as `SCIM users`. */
const nameQuota = (name: string): string => {
  const words = name
    .split("_")
    .map((word) => acronyms[word] ?? word)
    .join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const formatQuota = (value: number, unit: Quota["unit"]): string =>
  unit === "bytes"
    ? formatBytes(value)
    : `${formatNumber(value)}${unit === "per_day" ? ` ${texts.perDay}` : ""}`;

const findTone = (share: number): string => (share >= 1 ? "bad" : share >= 0.8 ? "care" : "");

/** The quotas of an organization and how much of each is used. */
export const QuotaTable = ({ quotas }: { quotas: readonly Quota[] }) => (
  <DataTable
    label={texts.label}
    what={texts.what}
    list={{ rows: quotas }}
    rowKey={({ name }) => name}
    tall
    columns={[
      {
        head: texts.name,
        cell: ({ name, description, overridden }) => (
          <>
            <span className="row wrap">
              <span className="strong">{nameQuota(name)}</span>
              {overridden && <Tag>{texts.overridden}</Tag>}
            </span>
            <span className="small t3">{description}</span>
          </>
        ),
      },
      {
        head: texts.used,
        align: "r",
        cell: ({ used, unit }) => (used === null ? common.none : formatQuota(used, unit)),
      },
      {
        head: texts.limit,
        align: "r",
        cell: ({ limit, unit }) => (limit === null ? texts.unlimited : formatQuota(limit, unit)),
      },
      {
        head: texts.share,
        align: "r",
        phone: "hide",
        cell: ({ used, limit }) => {
          if (used === null || !limit) return null;
          const share = used / limit;
          return (
            <span className="row quota-share">
              <progress
                value={Math.min(1, share)}
                max={1}
                className={findTone(share)}
                aria-label={formatPercent(share)}
              />
              <span className="num">{formatPercent(share)}</span>
            </span>
          );
        },
      },
    ]}
    empty={<Empty title={texts.what} />}
  />
);
