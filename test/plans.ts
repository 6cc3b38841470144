/** Counts the table rows that a statement reads, from the database's own plan. */
import type { Engine } from "../src/platform/db/index.ts";

export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: PlanNode[];
}

export const flattenPlan = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flattenPlan)];

export const countRowsOfNode = (node: PlanNode) =>
  (node["Actual Rows"] +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0)) *
  node["Actual Loops"];

/** The rows that are read from all tables. */
export const countRowsRead = (plan: PlanNode): number =>
  flattenPlan(plan)
    .filter((node) => node["Relation Name"] !== undefined)
    .map(countRowsOfNode)
    .reduce((sum, rows) => sum + rows, 0);

/** The tables that a plan reads from start to end. A scan that its conditions skip does not count. */
export const listScannedTables = (plan: PlanNode): string[] =>
  flattenPlan(plan)
    .filter((node) => node["Node Type"] === "Seq Scan" && node["Actual Loops"] > 0)
    .map((node) => node["Relation Name"]!);

/** Executes a statement with a generic plan, as the database does after some executions. */
export const explainStatement = (
  engine: Engine,
  text: string,
  values: readonly unknown[],
): Promise<PlanNode> =>
  engine.transaction(async (session) => {
    await session.queryWithDriverTypes("set local plan_cache_mode = force_generic_plan");
    await session.queryWithDriverTypes(`prepare asked as ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(", ")})` : "";
    const { rows } = await session.queryWithDriverTypes(
      `explain (analyze, format json) execute asked ${given}`,
    );
    await session.queryWithDriverTypes("deallocate asked");
    return (rows[0]!["QUERY PLAN"] as { Plan: PlanNode }[])[0]!.Plan;
  });

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

export interface Statement {
  text: string;
  values: unknown[];
}

/** The statements that an engine receives while `work` runs, also in transactions. */
export async function recordStatements(engine: Engine, work: () => Promise<unknown>): Promise<Statement[]> {
  const { query, transaction } = engine;
  const statements: Statement[] = [];
  try {
    engine.transaction = (inside, options) =>
      transaction(
        ({ query: send, ...session }) =>
          inside({
            ...session,
            query: (text, values) => {
              statements.push({ text, values });
              return send(text, values);
            },
          }),
        options,
      );
    engine.query = (text, values, terms) => {
      statements.push({ text, values });
      return query(text, values, terms);
    };
    await work();
  } finally {
    Object.assign(engine, { query, transaction });
  }
  return statements;
}
