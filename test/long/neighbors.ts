/**
 * Two hostile organizations at two addresses attack while an innocent tenant works, on both engines:
 * `node test/long/neighbors.ts [--seconds 30] [--engine postgres|embedded]`. Prints how long the innocent tenant's
 * calls take alone and under attack. Fails when the server dies, when a call of the innocent tenant fails, or when
 * the median of a kind of call more than doubles under attack. Run it on a quiet machine.
 */
import { parseArgs } from "node:util";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, freshFolder } from "../process/kit.ts";
import { type Outcome, runNeighbors } from "../process/neighbors/index.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "30" }, engine: { type: "string" } },
});
const seconds = Number(values.seconds);
let passed = 0;
let failed = 0;

function show(engine: string, { figures, failures, answers, serverLived }: Outcome): void {
  console.log(`\n${engine}`);
  const rows = Object.entries(figures).map(([kind, { alone, attacked, aloneP95, attackedP95 }]) => ({
    call: kind,
    "alone, median ms": alone.toFixed(1),
    "attacked, median ms": attacked.toFixed(1),
    ratio: (attacked / alone).toFixed(2),
    "alone, p95 ms": aloneP95.toFixed(1),
    "attacked, p95 ms": attackedP95.toFixed(1),
  }));
  console.table(rows);
  console.log("replies to the attackers:", JSON.stringify(answers));
  const wrong = [
    ...(serverLived ? [] : ["the server died"]),
    ...(failures.length ? [`${failures.length} calls failed, first: ${JSON.stringify(failures[0])}`] : []),
    ...Object.entries(figures)
      .filter(([, { alone, attacked }]) => !(attacked <= 2 * alone))
      .map(([kind]) => `${kind} takes more than twice as long`),
  ];
  if (wrong.length) failed++;
  else passed++;
  console.log(`${wrong.length ? "✗" : "✓"} ${engine}`);
  for (const line of wrong) console.log(`  ${line}`);
}

if (values.engine !== "embedded") {
  if (await isPostgresAvailable()) {
    const database = await makeDatabase();
    show("PostgreSQL", await runNeighbors({ databaseUrl: database.url }, { seconds }));
    await database.drop();
  } else console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. PostgreSQL IS SKIPPED.");
}
if (values.engine !== "postgres")
  show("embedded", await runNeighbors({ dataDir: freshFolder() }, { seconds }));
await cleanUp();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
