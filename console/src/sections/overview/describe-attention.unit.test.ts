import { readFileSync } from "node:fs";
import type { AttentionItem } from "@signalbox/client";
import { describe, expect, test } from "vitest";
import { describeAttention } from "./describe-attention.ts";

const { components } = JSON.parse(readFileSync("openapi.json", "utf8"));
const kinds: AttentionItem["kind"][] = components.schemas.AttentionItem.properties.kind.enum;

const now = Date.UTC(2026, 10, 13, 12);
const reader = { memberId: "mem_me", now };

const item = (given: Partial<AttentionItem>): AttentionItem => ({
  key: "k",
  kind: "automation_failed",
  severity: "error",
  subject: { type: "automation", id: "aut_1", name: "Nightly audit", parentId: null, parentName: null },
  owner: null,
  related: null,
  code: null,
  message: null,
  count: 1,
  since: null,
  dueAt: null,
  used: null,
  limit: null,
  ...given,
});

describe("what needs care", () => {
  test.each(kinds)("has a sentence and a place: %s", (kind) => {
    const types: Record<string, AttentionItem["subject"]["type"]> = {
      budget: "budget",
      worker: "worker",
      connection: "connection",
    };
    const type = types[kind.split("_")[0]!] ?? "automation";
    const described = describeAttention(
      item({
        kind,
        subject: { type, id: "id_1", name: "The Name", parentId: "prv", parentName: "Parent" },
        since: now - 1000,
      }),
      reader,
    );
    // A kind without its own words would show its code.
    expect(described.title).not.toContain("_");
    expect(described.action).toBeDefined();
  });

  test("leads to the run that shows the problem", () => {
    const { title, text, action } = describeAttention(
      item({ message: "The registry is away.", count: 3, related: { type: "run", id: "run_1" } }),
      reader,
    );
    expect(title).toBe("Nightly audit failed");
    expect(text).toBe("The registry is away. The last 3 runs failed.");
    expect(action).toEqual({ label: "See run", to: "/runs/run_1" });
  });

  test("asks the owner of an account, and lets the owner reconnect it", () => {
    const subject = {
      type: "connection" as const,
      id: "ocn_1",
      name: "chiara@example.com",
      parentId: "drive",
      parentName: "Google Drive",
    };
    const broken = (memberId: string) =>
      describeAttention(
        item({
          kind: "connection_needs_reconnect",
          subject,
          owner: { memberId, name: "Chiara Rossi" },
          code: "revoked_at_provider",
          count: 2,
        }),
        reader,
      );
    expect(broken("mem_other")).toMatchObject({
      title: "Chiara’s Google Drive account chiara@example.com must be reconnected",
      text: "Access was revoked at the provider. 2 automations use it.",
      action: { label: "Ask Chiara", ask: "Chiara Rossi" },
    });
    expect(broken("mem_me").action).toEqual({ label: "Reconnect", to: "/connections/accounts/drive" });
  });

  test("names the provider of an account, and the server of a call", () => {
    const title = (kind: AttentionItem["kind"], parentName: string | null) =>
      describeAttention(
        item({ kind, subject: { type: "connection", id: "ocn_1", name: "Wiki", parentId: "p", parentName } }),
        reader,
      ).title;
    expect(title("connection_uncertain", "Notion")).toBe("The state of the Notion account Wiki is uncertain");
    expect(title("connection_expires", "Notion")).toBe("The Notion account Wiki ends soon");
    expect(title("connection_expires", null)).toBe("The account Wiki ends soon");
    expect(title("mcp_approval_pending", "Freight")).toBe("A call of Wiki at Freight waits for approval");
  });

  test("says how much of a budget is spent", () => {
    const { text } = describeAttention(
      item({
        kind: "budget_warned",
        subject: { type: "budget", id: "lbg_1", name: "Felix", parentId: null, parentName: null },
        used: 14_900_000,
        limit: 17_000_000,
      }),
      reader,
    );
    expect(text).toBe("$14.90 of $17.00 is spent.");
  });

  test.each([
    ["quota_nearly_full", "quota", "/settings/quotas"],
    ["webhook_endpoint_failing", "webhook_endpoint", "/settings/webhooks/id_1"],
  ] as const)("leads to the part of the settings that is meant: %s", (kind, type, to) => {
    const subject = { type, id: "id_1", name: "The Name", parentId: null, parentName: null };
    expect(describeAttention(item({ kind, subject }), reader).action).toMatchObject({ to });
  });
});
