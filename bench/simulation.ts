/**
 * How many database servers and processes a number of organizations needs: `node bench/simulation.ts [--organizations N]`.
 * It draws organizations of different sizes, places them on nodes by a hash of their id, and adds up what their requests
 * cost. The costs are measured (docs/scale.md); give others with `--database-us` and `--process-us`.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    organizations: { type: "string", default: "1000,10000,100000,1000000" },
    /** CPU microseconds of the database for an event, a delivery and a page of a list. */
    "database-us": { type: "string", default: "190,420,900" },
    /** CPU microseconds of the process for the same requests. */
    "process-us": { type: "string", default: "260,330,1100" },
    /** Requests of a median organization in its busiest hour, and how much larger the large ones are. */
    events: { type: "string", default: "2000" },
    deliveries: { type: "string", default: "40" },
    pages: { type: "string", default: "100" },
    spread: { type: "string", default: "1.2" },
    seed: { type: "string", default: "1" },
    cores: { type: "string", default: "16" },
  },
});
const readList = (text: string) => text.split(",").map(Number);
const database = readList(values["database-us"]);
const process_ = readList(values["process-us"]);
const hourly = [values.events, values.deliveries, values.pages].map(Number);
const cores = Number(values.cores);
/** A server that is busier than this has no room for peaks within the hour. */
const target = 0.5;

/** The same numbers for the same seed: two uniform numbers from a hash. */
function draw(n: number): [number, number, number] {
  const bytes = createHash("sha256").update(`${values.seed} ${n}`).digest();
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)].map(
    (value) => (value + 1) / (2 ** 32 + 1),
  ) as [number, number, number];
}

/** Log-normal, median 1: with a spread of 1.2, one organization in a hundred is 16 times as large, one in a million 300 times. */
const drawSize = (u: number, v: number) =>
  Math.exp(Number(values.spread) * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v));

const sum = (costs: readonly number[]) => costs.reduce((total, us, i) => total + us * hourly[i]!, 0);
/** Seconds of CPU that a median organization uses per second, in its busiest hour. */
const perOrganization = { database: sum(database) / 3.6e9, process: sum(process_) / 3.6e9 };

console.log(
  "| organizations | events/s | database cores | nodes | busiest node | largest organization | processes |",
);
console.log("|---|---|---|---|---|---|---|");
for (const count of readList(values.organizations)) {
  const sizes = new Float64Array(count);
  const places = new Float64Array(count);
  let total = 0;
  for (let n = 0; n < count; n++) {
    const [u, v, place] = draw(n);
    sizes[n] = drawSize(u, v);
    places[n] = place;
    total += sizes[n]!;
  }
  const databaseCores = total * perOrganization.database;
  const nodes = Math.max(1, Math.ceil(databaseCores / (cores * target)));
  const load = new Float64Array(nodes);
  for (let n = 0; n < count; n++)
    load[Math.floor(places[n]! * nodes)]! += sizes[n]! * perOrganization.database;
  const busiest = load.reduce((most, one) => Math.max(most, one), 0) / cores;
  const largest = (sizes.reduce((most, one) => Math.max(most, one), 0) * perOrganization.database) / cores;
  const percent = (share: number) => `${(100 * share).toFixed(share < 0.01 ? 2 : 0)} %`;
  const processes = Math.ceil((total * perOrganization.process) / 0.7);
  console.log(
    `| ${count.toLocaleString("en")} | ${Math.round((total * hourly[0]!) / 3600).toLocaleString("en")} | ${databaseCores.toFixed(1)} | ${nodes} | ${percent(busiest)} | ${percent(largest)} of a node | ${processes} |`,
  );
}
